"""Turns without a crew: the text of a message says what happens."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Protocol
from uuid import UUID

from callsheet.agui.run_input import ContinuationInput, RunInput
from callsheet.auth.principal import Principal
from callsheet.events.entry import Entry
from callsheet.kit.errors import Conflict, NotFound, RateLimited, Unavailable
from callsheet.runs.run import RunRecord
from callsheet.runs.started import StartedRun
from callsheet.sessions.shown import ShownMessage
from tests.agui.journal import cancelled_run, failed_run, whole_run
from tests.agui.taken_back import said_in, taken_back_run


class FakeChat:
    """The text of a message says what happens: a word of `_OUTCOMES`, else an answer."""

    def __init__(self) -> None:
        self.asked: list[tuple[Principal, str | None, RunInput, str]] = []
        self.closed = asyncio.Event()
        self.go_on = asyncio.Event()

    async def start(
        self, principal: Principal, workflow: str | None, request: RunInput, trace_id: str
    ) -> StartedRun:
        """Remember the question; refuse it where the text says so."""
        self.asked.append((principal, workflow, request, trace_id))
        if workflow not in (None, "chat"):
            raise NotFound(f"There is no workflow {workflow!r}.")
        match request.text:
            case "busy":
                raise Conflict("The session has an active run.", run_id=str(request.run_id))
            case "often":
                raise RateLimited("Too many requests.", retry_after_s=2.4)
            case "away":
                raise Unavailable("The database is away.")
            case "bug":
                raise RuntimeError("a secret detail")
        return StartedRun(
            run_id=request.run_id,
            session_id=request.session_id,
            trace_id=trace_id,
            entries=self._entries(request, trace_id),
        )

    def streamed(self, session_id: UUID, run_id: UUID) -> list[ShownMessage]:
        """What was said in the session up to that run."""
        said: list[ShownMessage] = []
        for _, _, request, _ in self.asked:
            if request.session_id == session_id:
                said.append(
                    ShownMessage(request.message_id, "user", request.text, request.raw_message_id)
                )
                said += said_in(request.run_id)
                if request.run_id == run_id:
                    break
        return said

    async def _entries(
        self, request: RunInput, trace_id: str
    ) -> AsyncGenerator[tuple[Entry, ...], None]:
        words = [f"You said {request.text} ", "- ", "391."]
        run = whole_run(words, request.run_id, request.session_id, trace_id)
        try:
            match request.text:
                case "fail":
                    run = failed_run(request.run_id)
                case "stop":
                    run = cancelled_run(request.run_id)
                case "again":
                    run = taken_back_run(request.run_id, request.session_id, trace_id)
                case "break":
                    yield run[:8]
                    raise Unavailable("The database is away.")
                case "crash":
                    yield run[:8]
                    raise RuntimeError("a secret detail")
                case "short":
                    yield run[:8]
                    return
                case "wait":
                    yield run[:3]
                    await self.go_on.wait()
                    run = run[3:]
            for at in range(0, len(run), 3):
                yield run[at : at + 3]
                await asyncio.sleep(0)
        finally:
            self.closed.set()


class Runs(Protocol):
    """Where runs are."""

    async def get(self, principal: Principal, run_id: UUID) -> RunRecord: ...


class FakeContinuations:
    """Goes on from every run that the caller has with a whole answer."""

    def __init__(self, chat: FakeChat, runs: Runs) -> None:
        self.asked: list[ContinuationInput] = []
        self._chat = chat
        self._runs = runs

    async def start(
        self, principal: Principal, run_id: UUID, asked: ContinuationInput, trace_id: str
    ) -> tuple[RunRecord, StartedRun]:
        """As the port says; a run that succeeded is none to go on from."""
        self.asked.append(asked)
        before = await self._runs.get(principal, run_id)
        if before.status == "succeeded":
            raise Conflict("There is nothing to go on with.", code="run_not_over")
        run = whole_run(["one ", "two"], asked.run_id, before.session_id, trace_id)

        async def shown() -> AsyncGenerator[tuple[Entry, ...], None]:
            yield run

        return before, StartedRun(asked.run_id, before.session_id, trace_id, shown())
