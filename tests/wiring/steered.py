"""A process that has messages go into active runs, and a model that waits to be let go."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from callsheet.events.entry import Entry
from callsheet.events.order import OrderChecker
from callsheet.events.run import RunFinished, RunStarted
from callsheet.events.steered import Steered
from callsheet.kit.deadline import Deadline
from callsheet.llm.chat import ChatPart, ChatRequest
from callsheet.settings.settings import Settings
from callsheet.wiring.application import Application
from tests.fakes.chat import Script, ScriptedChat, calls
from tests.fakes.chat_script import EXECUTION
from tests.fakes.deployment import make_deployment
from tests.wiring.stage import (
    NOWHERE,
    answering,
    application,
    said_to,
    settings_of,
)

SUM = ("calculator", {"expression": "17*23"})
SAID = "SELECT content FROM messages WHERE role = 'user' ORDER BY seq"
STATUS = "SELECT status FROM runs ORDER BY created_at, id"


@dataclass
class PacedChat(ScriptedChat):
    """Each answer waits until it is let go; `reached` tells how many were asked for."""

    go: asyncio.Event = field(default_factory=asyncio.Event)
    asked: asyncio.Condition = field(default_factory=asyncio.Condition)
    reached: int = 0

    async def stream(
        self, request: ChatRequest, deadline: Deadline
    ) -> AsyncGenerator[Sequence[ChatPart], None]:
        async with self.asked:
            self.reached += 1
            self.asked.notify_all()
        await self.go.wait()
        async for parts in super().stream(request, deadline):
            yield parts

    async def until(self, reached: int) -> None:
        async with asyncio.timeout(60), self.asked:
            await self.asked.wait_for(lambda: self.reached >= reached)

    def told(self, part: str) -> list[str]:
        """All that was said in the requests of one part."""
        return [said for each in self.requests if part in (said := said_to(each))]


def counting(request: ChatRequest) -> Script:
    """Judge; count once, then do; write."""
    told = said_to(request)
    if EXECUTION in told and not any(m["role"] == "tool" for m in request.messages):
        return calls(SUM)
    return answering(request)


def steered(entries: Sequence[Entry]) -> list[tuple[str, str, int]]:
    return [
        (e.event.text, e.event.path, e.event.iteration)
        for e in entries
        if isinstance(e.event, Steered)
    ]


def assert_in_order(entries: Sequence[Entry]) -> None:
    order = OrderChecker()
    for entry in entries:
        order.check(entry.event)
    assert [entry.seq for entry in entries] == list(range(1, len(entries) + 1))


def assert_taken_in(entries: Sequence[Entry], by: object) -> None:
    """Such a run begins and ends at once, and asks nobody."""
    assert [type(entry.event) for entry in entries] == [RunStarted, RunFinished]
    last = entries[-1].event
    assert isinstance(last, RunFinished)
    assert (last.steered_run_id, last.usage) == (str(by), ())


@pytest.fixture
def settings(tmp_path: Path, database_url: str) -> Settings:
    deployment = make_deployment(tmp_path / "deployment", NOWHERE)
    deployment.edit(
        "crews/chat/workflow.yaml", "timeout_s: 600", "timeout_s: 600\nwhen_busy: steer"
    )
    return settings_of(tmp_path, database_url)


@pytest.fixture
def chat() -> PacedChat:
    return PacedChat(choose=counting)


@pytest.fixture
async def app(settings: Settings, chat: PacedChat) -> AsyncIterator[Application]:
    async with application(settings, chat) as app:
        await app.ready()
        yield app
