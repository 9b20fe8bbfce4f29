"""Sessions and runs in dictionaries, and rows to put into them."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import TypeVar
from uuid import UUID, uuid4

import msgspec

from callsheet.auth.principal import Principal
from callsheet.events.entry import Entry
from callsheet.events.usage import Usage
from callsheet.kit.errors import NotFound
from callsheet.kit.pages import Page, PageRequest
from callsheet.runs.run import RunRecord
from callsheet.runs.watched import AskedFor, WatchedRun
from callsheet.sessions.message import MessageRecord
from callsheet.sessions.session import SessionRecord
from callsheet.sessions.settings import SessionChange
from callsheet.sessions.shown import ShownMessage
from callsheet.stream.connected import ConnectedSession
from tests.agui.journal import USED, whole_run

T = TypeVar("T")

NOW = datetime(2026, 11, 30, 12, 0, 0, tzinfo=UTC)


class FakeSessions:
    """Sessions and messages in a dictionary."""

    async def connect(self, principal: Principal, session_id: UUID) -> ConnectedSession:
        """Nothing was said, nothing is under way."""
        return ConnectedSession(await self.get(principal, session_id), (), None, "USD")

    async def streamed(self, session_id: UUID, run_id: UUID) -> Sequence[ShownMessage]:
        """What the test put there."""
        return self._streamed(session_id, run_id)

    def __init__(self, streamed: Callable[[UUID, UUID], Sequence[ShownMessage]]) -> None:
        self._streamed = streamed
        self.sessions: dict[UUID, SessionRecord] = {}
        self.messages_of: dict[UUID, list[MessageRecord]] = {}
        self.changes: list[SessionChange] = []

    async def create(
        self, principal: Principal, session_id: UUID | None, title: str | None
    ) -> SessionRecord:
        """As the port says."""
        if session_id in self.sessions:
            return await self.get(principal, session_id)
        moment = NOW + timedelta(minutes=len(self.sessions))
        session = SessionRecord(
            id=session_id or uuid4(),
            user_id=principal.user_id,
            title=title,
            status="pending",
            last_activity_at=moment,
            message_count=0,
            total_tokens=0,
            total_cost=Decimal("0.000000"),
            created_at=moment,
            updated_at=moment,
        )
        self.sessions[session.id] = session
        return session

    async def list(
        self, principal: Principal, page: PageRequest, words: str | None = None
    ) -> Page[SessionRecord]:
        """As the port says; only titles are searched."""
        own = [
            each
            for each in self.sessions.values()
            if each.user_id == principal.user_id and (words or "") in (each.title or "")
        ]
        return _cut(sorted(own, key=lambda each: each.last_activity_at, reverse=True), page)

    async def recent(self, principal: Principal) -> SessionRecord | None:
        """As the port says."""
        found = (await self.list(principal, PageRequest(limit=1))).items
        return found[0] if found else None

    async def get(self, principal: Principal, session_id: UUID) -> SessionRecord:
        """As the port says."""
        found = self.sessions.get(session_id)
        if found is None or found.user_id != principal.user_id:
            raise NotFound("There is no such session.")
        return found

    async def change(
        self, principal: Principal, session_id: UUID, change: SessionChange
    ) -> SessionRecord:
        """As the port says."""
        self.changes.append(change)
        session = await self.get(principal, session_id)
        if change.title is not msgspec.UNSET:
            session = replace(session, title=change.title)
        if change.pinned is not msgspec.UNSET:
            session = replace(session, pinned_at=NOW if change.pinned else None)
        if change.mode is not msgspec.UNSET:
            session = replace(session, mode=change.mode or "full")
        if change.persona is not msgspec.UNSET:
            session = replace(session, persona=change.persona)
        if change.budget is not msgspec.UNSET:
            session = replace(session, budget=change.budget)
        self.sessions[session_id] = session
        return session

    async def write(self, principal: Principal, session_id: UUID) -> SessionRecord:
        """The same title for all."""
        return await self.change(principal, session_id, SessionChange(title="Written"))

    async def delete(self, principal: Principal, session_id: UUID) -> None:
        """As the port says."""
        await self.get(principal, session_id)
        del self.sessions[session_id]

    async def messages(
        self, principal: Principal, session_id: UUID, page: PageRequest
    ) -> Page[MessageRecord]:
        """As the port says."""
        await self.get(principal, session_id)
        return _cut(self.messages_of.get(session_id, []), page)

    async def delete_message(
        self, principal: Principal, session_id: UUID, message_id: UUID
    ) -> None:
        """As the port says."""
        await self.get(principal, session_id)
        left = [each for each in self.messages_of[session_id] if each.id != message_id]
        if len(left) == len(self.messages_of[session_id]):
            raise NotFound("There is no such message.")
        self.messages_of[session_id] = left


class FakeRuns:
    """Runs in a dictionary."""

    def __init__(self, sessions: FakeSessions) -> None:
        self._sessions = sessions
        self.runs: dict[UUID, RunRecord] = {}

    async def get(self, principal: Principal, run_id: UUID) -> RunRecord:
        """As the port says."""
        found = self.runs.get(run_id)
        if found is None or found.user_id != principal.user_id:
            raise NotFound("There is no such run.")
        return found

    async def cancel(self, principal: Principal, run_id: UUID) -> RunRecord:
        """As the port says."""
        run = await self.get(principal, run_id)
        if run.status == "running":
            run = replace(run, status="cancelled", finished_at=NOW, usage=USED)
            self.runs[run_id] = run
        return run

    async def of_session(
        self, principal: Principal, session_id: UUID, page: PageRequest
    ) -> Page[RunRecord]:
        """As the port says."""
        own = [
            each
            for each in self.runs.values()
            if each.session_id == session_id and each.user_id == principal.user_id
        ]
        if not own:
            await self._sessions.get(principal, session_id)
        return _cut(own, page)

    async def watch(self, principal: Principal, run_id: UUID) -> WatchedRun:
        """A whole run, in two pieces."""
        run = await self.get(principal, run_id)
        entries = whole_run(["one ", "two"], run.id, run.session_id, run.trace_id or "")

        async def shown() -> AsyncGenerator[tuple[Entry, ...], None]:
            yield entries[:5]
            yield entries[5:]

        return WatchedRun(run, AskedFor("1.0", {}), shown())

    async def cancel_session(self, principal: Principal, session_id: UUID) -> RunRecord | None:
        """As the port says."""
        for run in (await self.of_session(principal, session_id, PageRequest())).items:
            if run.status == "running":
                return await self.cancel(principal, run.id)
        return None


def a_run(principal: Principal, session_id: UUID) -> RunRecord:
    """A run under way."""
    return RunRecord(
        id=uuid4(),
        session_id=session_id,
        user_id=principal.user_id,
        workflow="chat",
        revision="r1",
        status="running",
        raw_run_id="my run",
        raw_thread_id="my thread",
        parent_run_id=None,
        user_message_id=uuid4(),
        error_code=None,
        error_message=None,
        trace_id="t" * 32,
        created_at=NOW,
        started_at=NOW,
        finished_at=None,
    )


def a_message(session_id: UUID, seq: int) -> MessageRecord:
    """An answer."""
    usage = Usage(input_tokens=60, output_tokens=15)
    return MessageRecord(
        id=uuid4(),
        session_id=session_id,
        seq=seq,
        role="assistant",
        content=f"Answer {seq}",
        model_code="qwen3.5-flash",
        tool_name=None,
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cost=Decimal("0.000062"),
        currency="USD",
        latency_ms=412,
        created_at=NOW,
        metadata={"stage": "organization", "visible": True, "status": "final"},
    )


def _cut(items: Sequence[T], page: PageRequest) -> Page[T]:
    start = int(page.cursor or 0)
    end = start + page.limit
    return Page(tuple(items[start:end]), str(end) if end < len(items) else None)
