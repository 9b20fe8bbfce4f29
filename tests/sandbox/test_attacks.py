"""Every attack, through the tool as an agent calls it: its class is right, and the next works."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from typing import Any

import pytest

from callsheet.tools.sandbox.options import CHECKS, PoolOptions
from tests.fakes.sandbox_run import OPTIONS, Bench, bench
from tests.sandbox.attacks.attack import Attack, load_attacks, problems

pytestmark = [pytest.mark.needs("docker"), pytest.mark.timeout(180)]

COLD = replace(OPTIONS, pool=PoolOptions(size=0))
UNCHECKED = replace(COLD, checks=dict.fromkeys(CHECKS, "allow"))
"""A look at the text is a hint: what it refuses has to be harmless without it too."""


@pytest.mark.parametrize("attack", load_attacks(), ids=str)
async def test_an_attack_holds_and_a_plain_program_works_after_it(attack: Attack) -> None:
    async with bench(COLD) as made:
        report, found = await attacked(made, attack)
        assert found == [], report
        assert (await made.result("print('still here')"))["stdout"] == "still here\n"
    if report["status"] != "rejected" or attack.group == "source":
        return
    async with bench(UNCHECKED) as made:
        unchecked = replace(attack, expect=attack.expect - {"rejected"})
        report, found = await attacked(made, unchecked)
        assert found == [], report
        assert (await made.result("print('still here')"))["stdout"] == "still here\n"


async def attacked(made: Bench, attack: Attack) -> tuple[dict[str, Any], list[str]]:
    """The tool's report, and what is wrong with it."""
    if attack.before:
        await made.call(attack.before)
    began = time.monotonic()
    outcome = await made.call(attack.code, attack.timeout_s)
    took_s = time.monotonic() - began
    try:
        report: dict[str, Any] = json.loads(outcome.content)
    except ValueError:  # the call itself was refused: its arguments are too long
        report = {"status": "rejected", "stderr": outcome.content}
    return report, problems(attack, report, took_s)
