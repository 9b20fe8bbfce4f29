"""What the doctor says of the sandbox's engine."""

from __future__ import annotations

from dataclasses import replace

import pytest

from callsheet.cli.sandbox_findings import finding_of
from callsheet.tools.sandbox.options import PoolOptions, SandboxOptions
from callsheet.tools.sandbox.protocol import Kind, SandboxState

OPTIONS = SandboxOptions()


@pytest.mark.parametrize(
    ("kind", "options", "mend"),
    [
        ("no_engine", OPTIONS, "Install and start Docker"),
        ("no_permission", OPTIONS, "the group of the socket"),
        ("no_image", OPTIONS, "Run `callsheet sandbox build`, or leave it"),
        ("no_image", replace(OPTIONS, build=False), "Run `callsheet sandbox build`; until then"),
        ("no_image", replace(OPTIONS, image="ours:1"), "until then python_executor"),
    ],
)
def test_what_is_missing_has_a_way_out(kind: Kind, options: SandboxOptions, mend: str) -> None:
    found = finding_of(SandboxState(kind, "Why."), "image:1", options)

    assert (found.state, found.detail) == ("warning", "Why.")
    assert mend in found.mend


@pytest.mark.parametrize(("size", "said"), [(3, "3 containers wait"), (0, "no pool")])
def test_a_ready_sandbox_tells_its_pool(size: int, said: str) -> None:
    options = replace(OPTIONS, pool=PoolOptions(size=size))

    found = finding_of(SandboxState("ready"), "image:1", options)

    assert found.state == "ok"
    assert found.detail.startswith("image:1; ")
    assert said in found.detail
