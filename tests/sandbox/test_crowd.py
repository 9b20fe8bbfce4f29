"""Eight programs at once on a real engine: each has its result, whatever waits for them."""

from __future__ import annotations

import asyncio
import os
from dataclasses import replace

import pytest

from callsheet.tools.sandbox.image.client import engine_client
from callsheet.tools.sandbox.options import PoolOptions
from callsheet.tools.sandbox.owner import this_owner
from tests.fakes.containers import until_gone
from tests.fakes.sandbox_run import OPTIONS, Bench, bench

pytestmark = [pytest.mark.needs("docker"), pytest.mark.timeout(180)]

AT_ONCE = 8


async def crowd(made: Bench) -> list[str]:
    """What eight programs printed."""
    async with asyncio.TaskGroup() as group:
        calls = [group.create_task(made.result(f"print({n})")) for n in range(AT_ONCE)]
    return [call.result()["stdout"].strip() for call in calls]


@pytest.mark.parametrize(
    ("pool", "places"),
    [
        pytest.param(AT_ONCE, AT_ONCE, id="all have a container that waits"),
        pytest.param(2, AT_ONCE, id="six have one made for them"),
        pytest.param(2, 2, id="six wait for their turn"),
    ],
)
async def test_eight_at_once_have_their_results(pool: int, places: int) -> None:
    options = replace(OPTIONS, pool=PoolOptions(size=pool, fill="start"))

    async with bench(options, places=places) as made, asyncio.timeout(120):
        await made.until_warm(pool)
        assert await crowd(made) == [str(number) for number in range(AT_ONCE)]


async def test_who_is_cancelled_has_the_container_killed_at_once() -> None:
    options = replace(OPTIONS, pool=PoolOptions(size=0))
    with engine_client(None) as client:
        async with bench(options, owner=this_owner()) as made, asyncio.TaskGroup() as group:
            call = group.create_task(made.call("print('on', flush=True)\nwhile True: pass", 100))
            async with asyncio.timeout(60):
                while not made.heard.outputs:
                    await asyncio.sleep(0.02)
            call.cancel()
            async with asyncio.timeout(20):
                await until_gone(client, os.getpid())
