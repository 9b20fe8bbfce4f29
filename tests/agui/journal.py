"""A whole run as a journal: three stages, reasoning, a tool, an answer."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from decimal import Decimal
from uuid import UUID

from callsheet.events.agent import AgentFinished, AgentStarted, TaskFinished
from callsheet.events.call import AnswerFinished
from callsheet.events.entry import Entry
from callsheet.events.order import OrderChecker
from callsheet.events.reasoning import ReasoningDelta, ReasoningEnded, ReasoningStarted
from callsheet.events.run import RunCancelled, RunFailed, RunFinished, RunStarted
from callsheet.events.stage import (
    EndStatus,
    StageFinished,
    StageRetried,
    StageSkipped,
    StageStarted,
)
from callsheet.events.text import TextDelta, TextEnded, TextStarted
from callsheet.events.tool import (
    ToolCallArgs,
    ToolCallEnded,
    ToolCallStarted,
    ToolResult,
    ToolStarted,
)
from callsheet.events.union import AnyRunEvent
from tests.agui.calls import STARTED, bill, call, named, used

RUN = UUID("01900000-0000-7000-8000-000000000001")
SESSION = UUID("01900000-0000-7000-8000-000000000002")
TRACE = "0af7651916cd43dd8448eb211c80319c"

BEFORE_TOKENS, BEFORE_COST = 1_000, Decimal("0.500000")


def numbered(events: Iterable[AnyRunEvent]) -> tuple[Entry, ...]:
    """The events with their places, 10 ms apart, after the order check."""
    checker = OrderChecker()
    entries = []
    for seq, event in enumerate(events, start=1):
        checker.check(event)
        entries.append(Entry(seq, STARTED + timedelta(milliseconds=10 * seq), event))
    return tuple(entries)


def started(run: UUID = RUN, session: UUID = SESSION, trace: str = TRACE) -> RunStarted:
    """The first event."""
    return RunStarted(
        workflow="chat",
        revision="r1",
        session_id=str(session),
        trace_id=trace,
        session_tokens=BEFORE_TOKENS,
        session_cost=BEFORE_COST,
        currency="USD",
    )


def inner_stage(run: UUID) -> list[AnyRunEvent]:
    """The intent stage: reasoning, then text that no user sees as an answer."""
    message, agent = named(run, "intent"), named(run, "router")
    begun, ended = call(run, "intent", "intent", "router")
    return [
        StageStarted(stage="intent"),
        AgentStarted(
            agent_run_id=agent, agent="router", label="Router", stage="intent", task="route"
        ),
        begun,
        ReasoningStarted(message_id=message, agent_run_id=agent, visible=False),
        ReasoningDelta(message_id=message, text="A sum, "),
        ReasoningDelta(message_id=message, text="I think."),
        ReasoningEnded(message_id=message),
        TextStarted(message_id=message, agent_run_id=agent, visible=False),
        TextDelta(message_id=message, text='{"route":"tools"}'),
        ended,
        TextEnded(message_id=message, bill=bill(run, "intent", 2)),
        AnswerFinished(message_id=message, status="final", text='{"route":"tools"}'),
        TaskFinished(path="intent/0", task="route", output='{"route":"tools"}'),
        AgentFinished(agent_run_id=agent, status="done"),
        StageFinished(stage="intent", status="done", output='{"route":"tools"}'),
    ]


def tool_stage(run: UUID) -> list[AnyRunEvent]:
    """The execution stage: one retry, a tool call, a coworker that the call brought in."""
    message, agent, tool = named(run, "ask"), named(run, "worker"), named(run, "call")
    coworker, told = named(run, "coworker"), named(run, "told")
    begun, ended = call(run, "ask", "execution", "worker")
    return [
        StageSkipped(stage="plan", rule="true"),
        StageStarted(stage="execution"),
        StageRetried(stage="execution", attempt=2, code="provider_error"),
        AgentStarted(agent_run_id=agent, agent="worker", label="", stage="execution", task="work"),
        begun,
        ToolCallStarted(
            tool_call_id=tool,
            tool="calculator",
            message_id=message,
            agent_run_id=agent,
            visible=False,
        ),
        ToolCallArgs(tool_call_id=tool, text='{"expression":'),
        ToolCallArgs(tool_call_id=tool, text='"17*23"}'),
        ended,
        ToolCallEnded(tool_call_id=tool, bill=bill(run, "ask", 3)),
        ToolStarted(tool_call_id=tool),
        AgentStarted(
            agent_run_id=coworker,
            agent="checker",
            label="Checker",
            stage="execution",
            task="work",
            parent_agent_run_id=agent,
            parent_tool_call_id=tool,
        ),
        TextStarted(message_id=told, agent_run_id=coworker, visible=False),
        TextDelta(message_id=told, text="It is right."),
        TextEnded(message_id=told),
        AgentFinished(agent_run_id=coworker, status="done"),
        ToolResult(
            tool_call_id=tool,
            message_id=named(run, "result"),
            tool="calculator",
            agent_run_id=agent,
            stage="execution",
            agent="worker",
            content="391",
            status="ok",
            args_digest="d",
            latency_ms=3,
            visible=False,
        ),
        AgentFinished(agent_run_id=agent, status="done"),
        StageFinished(stage="execution", status="done", output="391"),
    ]


def visible_stage(run: UUID, words: Iterable[str], end: EndStatus = "done") -> list[AnyRunEvent]:
    """The organization stage: the text that is the answer."""
    message, agent = named(run, "answer"), named(run, "writer")
    begun, ended = call(run, "answer", "organization", "writer")
    return [
        StageStarted(stage="organization"),
        AgentStarted(
            agent_run_id=agent,
            agent="writer",
            label="Writer",
            stage="organization",
            task="write",
        ),
        begun,
        ReasoningStarted(message_id=message, agent_run_id=agent, visible=True),
        ReasoningDelta(message_id=message, text="Short."),
        ReasoningEnded(message_id=message),
        TextStarted(message_id=message, agent_run_id=agent, visible=True),
        *(TextDelta(message_id=message, text=word) for word in words),
        ended,
        TextEnded(message_id=message, bill=bill(run, "answer", 5)),
        AgentFinished(
            agent_run_id=agent,
            status=end,
            message=None if end == "done" else "The provider answered 503.",
        ),
        StageFinished(stage="organization", status=end, output="".join(words)),
    ]


def whole_run(
    words: Iterable[str] = ("17 x 23 ", "is ", "391."),
    run: UUID = RUN,
    session: UUID = SESSION,
    trace: str = TRACE,
) -> tuple[Entry, ...]:
    """A run that ends with an answer."""
    events = [
        started(run, session, trace),
        *inner_stage(run),
        *tool_stage(run),
        *visible_stage(run, list(words)),
    ]
    return numbered([*events, RunFinished(usage=used(events), message_id=named(run, "answer"))])


def failed_run(run: UUID = RUN) -> tuple[Entry, ...]:
    """A run whose last stage fails in the middle of its text."""
    events = [started(run), *inner_stage(run), *visible_stage(run, ["17 x"], "failed")]
    message = "The provider answered 503."
    return numbered(
        [*events, RunFailed(code="provider_error", message=message, usage=used(events))]
    )


def cancelled_run(run: UUID = RUN) -> tuple[Entry, ...]:
    """A run that somebody stopped."""
    events = [started(run), *visible_stage(run, ["17 x"], "cancelled")]
    return numbered([*events, RunCancelled(reason="user", usage=used(events))])


USED = used([*inner_stage(RUN), *tool_stage(RUN), *visible_stage(RUN, [])])
"""What a whole run used."""
