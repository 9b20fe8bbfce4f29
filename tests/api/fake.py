"""Services without crews or database: they keep what they are told in memory."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import TypeVar
from uuid import UUID, uuid4

from callsheet.agui.run_input import RunInput
from callsheet.api.ports import ApiOptions, Services
from callsheet.auth.api_keys import ApiKeys
from callsheet.auth.principal import Principal
from callsheet.events.entry import Entry
from callsheet.events.usage import Usage
from callsheet.kit.errors import Conflict, NotFound, Problem, RateLimited, Unavailable
from callsheet.kit.pages import Page, PageRequest
from callsheet.kit.readiness import Part
from callsheet.llm.model import Model
from callsheet.runs.run import RunRecord
from callsheet.runs.started import StartedRun
from callsheet.sessions.message import MessageRecord
from callsheet.sessions.session import SessionRecord
from callsheet.workflows.workflow import AgentSpec, Stage, TaskSpec, Workflow
from tests.agui.journal import USED, cancelled_run, failed_run, whole_run

T = TypeVar("T")

NOW = datetime(2026, 11, 30, 12, 0, 0, tzinfo=UTC)
ORIGIN = "http://app.example:3000"
ALICE, BOB = {"Authorization": "Bearer sk-alice"}, {"Authorization": "Bearer sk-bob"}

ROUTER = AgentSpec(
    name="router",
    role="Router",
    goal="g",
    backstory="b",
    default_model="qwen3.5-flash",
    tools=("calculator",),
)
CHAT = Workflow(
    name="chat",
    revision="r1",
    label={"en": "Chat"},
    description="The default.",
    stages=(
        Stage(
            name="intent",
            agents={"router": ROUTER},
            tasks=(TaskSpec(name="t", description="d", expected_output="e", agent="router"),),
            visible=True,
        ),
    ),
)
MODEL = Model(
    model_code="qwen3.5-flash",
    factory="qwen",
    upstream_model="upstream-name",
    base_url="https://address.example/v1",
    api_key="sk-secret-of-the-vendor",
)


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


class FakeSessions:
    """Sessions and messages in a dictionary."""

    def __init__(self) -> None:
        self.sessions: dict[UUID, SessionRecord] = {}
        self.messages_of: dict[UUID, list[MessageRecord]] = {}

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

    async def list(self, principal: Principal, page: PageRequest) -> Page[SessionRecord]:
        """As the port says."""
        own = [each for each in self.sessions.values() if each.user_id == principal.user_id]
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

    async def rename(self, principal: Principal, session_id: UUID, title: str) -> SessionRecord:
        """As the port says."""
        session = replace(await self.get(principal, session_id), title=title)
        self.sessions[session_id] = session
        return session

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

    def __init__(self) -> None:
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
            raise NotFound("There is no such session.")
        return _cut(own, page)

    async def cancel_session(self, principal: Principal, session_id: UUID) -> RunRecord | None:
        """As the port says."""
        for run in (await self.of_session(principal, session_id, PageRequest())).items:
            if run.status == "running":
                return await self.cancel(principal, run.id)
        return None


class FakeWorkflows:
    """One workflow, and a mistake in an edit of it."""

    default = "chat"

    def names(self) -> Sequence[str]:
        """As the port says."""
        return ("chat",)

    def get(self, name: str) -> Workflow:
        """As the port says."""
        if name != "chat":
            raise NotFound(f"There is no workflow {name!r}.")
        return CHAT

    def problems(self) -> Sequence[Problem]:
        """As the port says."""
        return (Problem("crews/chat/agents.yaml", 3, 5, "unknown key 'rol'", "role"),)


class FakeModels:
    """One model."""

    def all(self) -> Mapping[str, Model]:
        """As the port says."""
        return {MODEL.model_code: MODEL}


class FakeHealth:
    """Ready unless a test says what is missing."""

    def __init__(self) -> None:
        self.warming = False

    async def parts(self) -> Sequence[Part]:
        """As the port says."""
        return (
            Part("database", ready=True),
            Part("crews", ready=not self.warming, detail="loading" if self.warming else ""),
        )


class World:
    """All fakes together."""

    def __init__(self) -> None:
        self.chat = FakeChat()
        self.sessions = FakeSessions()
        self.runs = FakeRuns()
        self.health = FakeHealth()

    def services(self) -> Services:
        """What the application is made on."""
        return Services(
            identities=ApiKeys(["alice:sk-alice", "bob:sk-bob"]),
            chat=self.chat,
            runs=self.runs,
            sessions=self.sessions,
            workflows=FakeWorkflows(),
            models=FakeModels(),
            health=self.health,
        )


OPTIONS = ApiOptions(
    allowed_origins=frozenset({ORIGIN}),
    max_body_bytes=20_000,
    max_message_chars=1_000,
    ping_after_s=0.05,
)


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
