"""A server is killed while a program of an agent runs: nothing of it stays on the engine."""

from __future__ import annotations

import asyncio
import contextlib

import httpx
import pytest

from callsheet.tools.sandbox.container import OWNER_LABEL
from callsheet.tools.sandbox.owner import is_gone, this_owner
from tests.chaos.fleet import Fleet
from tests.fakes.agui_client import AgUiClient
from tests.fakes.containers import containers_of, engine_client, is_there, standing, until_gone
from tests.fakes.deployment import Deployment
from tests.fakes.provider.server import FakeProvider
from tests.flows.test_python import shown, until_offered, writes

ENDLESS = "import subprocess\nprint('on', flush=True)\nsubprocess.run(['sleep', '600'])\n"


@pytest.mark.needs("docker")
@pytest.mark.timeout(360)
async def test_nothing_is_left_on_the_engine(
    deployment: Deployment, database_url: str, provider: FakeProvider
) -> None:
    """Its containers go as it dies; what has stayed all the same goes as the next one starts."""
    provider.scenario = writes(ENDLESS)
    (deployment.config / "sandbox.yaml").write_text("pool: {size: 1, fill: start}\n", "utf-8")
    with engine_client(None) as client:
        async with (
            Fleet(deployment, database_url, ("serve",), lease_s=2.0) as fleet,
            httpx.AsyncClient(base_url=fleet.members[0].url, timeout=90) as http,
        ):
            [server] = fleet.members
            assert server.process is not None
            pid = server.process.pid
            agui = AgUiClient(http)
            await until_offered(agui)
            with contextlib.suppress(httpx.HTTPError):  # the stream breaks off
                async with agui.open("Count.") as (turn, events):
                    async for event in events:
                        if event["type"] == "ACTIVITY_DELTA" and shown(turn):
                            await until_two(client, pid)
                            found = containers_of(client, pid)
                            await fleet.kill(server)
            assert shown(turn)[0][1].startswith("on")
            owner = found[0]["Labels"][OWNER_LABEL]
            assert [each["Mounts"] for each in found] == [[], []]
            assert is_gone(owner)
            await until_gone(client, pid)
            with standing(client, owner) as left, standing(client, this_owner()) as sibling:
                fleet.start(server)
                await fleet.ready(server)
                async with asyncio.timeout(150):
                    while is_there(client, left):
                        await asyncio.sleep(0.1)
                assert is_there(client, sibling)
            assert server.process is not None
            last = server.process.pid
        await until_gone(client, last)


async def until_two(client: object, pid: int) -> None:
    """One that runs, and the next that waits."""
    async with asyncio.timeout(60):
        while len(containers_of(client, pid)) < 2:  # type: ignore[arg-type]
            await asyncio.sleep(0.05)
