"""Tools of one answer run at the same time, as many as the deployment lets."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from callsheet.kit.errors import ToolFailed
from callsheet.tools.context import ToolContext
from tests.fakes.deployment import Deployment
from tests.fakes.own_tools import Own, own_tools
from tests.fakes.provider.server import FakeProvider
from tests.fixtures.app import Serve
from tests.flows.waiting import MAIL, answer, asking, interrupts, resolved, told

WAITS_S = 10.0


class Meeting:
    """Calls that end only once `wanted` of them are there at the same time."""

    def __init__(self, wanted: int) -> None:
        self.wanted = wanted
        self.inside = self.most = 0
        self._all_there = asyncio.Event()

    async def __call__(self, args: Any, ctx: ToolContext) -> str:
        self.inside += 1
        self.most = max(self.most, self.inside)
        try:
            if self.inside >= self.wanted:
                self._all_there.set()
            async with asyncio.timeout(WAITS_S):
                await self._all_there.wait()
        except TimeoutError as error:
            raise ToolFailed("alone") from error
        finally:
            self.inside -= 1
        return str(args.text)


def calls(count: int) -> list[tuple[str, Any]]:
    return [("own_meet", {"text": f"call {number}"}) for number in range(count)]


async def test_calls_of_one_answer_meet_each_other(
    deployment: Deployment, serve: Serve, provider: FakeProvider
) -> None:
    meeting = Meeting(4)
    with own_tools(deployment, Own("meet", meeting)):
        async with serve(deployment) as (agui, books):
            provider.scenario = asking(*calls(4))
            turn = await agui.ask("Meet.")
            assert turn.breaches == []
            assert told(provider) == [f"call {number}" for number in range(4)]
            assert meeting.most == 4
            assert await books.audit() == {}


@pytest.mark.parametrize("most", [1, 2])
async def test_no_more_than_the_deployment_lets(
    deployment: Deployment, serve: Serve, provider: FakeProvider, most: int
) -> None:
    meeting = Meeting(most)
    with own_tools(deployment, Own("meet", meeting)):
        async with serve(deployment, limits={"parallel_tools": most}) as (agui, _):
            provider.scenario = asking(*calls(6))
            turn = await agui.ask("Meet.")
            assert turn.breaches == []
            assert len(told(provider)) == 6
            assert meeting.most == most


async def test_siblings_run_once_while_a_call_waits_for_its_approval(
    deployment: Deployment, serve: Serve, provider: FakeProvider
) -> None:
    meeting = Meeting(2)
    tool = Own("meet", meeting)  # not idempotent
    with own_tools(deployment, tool):
        async with serve(deployment) as (agui, _):
            provider.scenario = asking(*calls(2), ("send_mail", MAIL))
            turn = await agui.ask("Meet and write.")
            [mail] = interrupts(turn)
            assert len(turn.of("TOOL_CALL_RESULT")) == 2
        async with serve(deployment) as (agui, books):
            after = await answer(agui, turn, resolved(mail, {"approved": True}))
            assert after.text == "The work is done."
            assert told(provider)[:2] == ["call 0", "call 1"]
            assert tool.calls == 2
            assert await books.one("SELECT count(*) FROM outbox") == 1
            assert await books.audit() == {}
