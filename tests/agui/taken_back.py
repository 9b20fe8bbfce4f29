"""A run that was taken over in the middle of its answer: the first one is taken back."""

from __future__ import annotations

from uuid import UUID

from callsheet.events.agent import AgentFinished, AgentStarted
from callsheet.events.call import AnswerFinished
from callsheet.events.entry import Entry
from callsheet.events.reasoning import ReasoningDelta, ReasoningEnded, ReasoningStarted
from callsheet.events.run import RunFinished
from callsheet.events.stage import StageFinished, StageStarted
from callsheet.events.text import TextDelta, TextEnded, TextStarted
from callsheet.events.union import AnyRunEvent
from callsheet.kit.ids import part_id
from callsheet.sessions.shown import ShownMessage
from tests.agui.calls import bill, named, used
from tests.agui.journal import RUN, SESSION, TRACE, inner_stage, numbered, started, tool_stage


def taken_back_run(
    run: UUID = RUN, session: UUID = SESSION, trace: str = TRACE
) -> tuple[Entry, ...]:
    """Tools are used; "17 x 23 is 3" is cut off; the answer comes in two texts."""
    lost, message, agent = named(run, "lost"), named(run, "answer"), named(run, "writer")
    second = str(part_id(UUID(message), "text-2"))
    events: list[AnyRunEvent] = [
        started(run, session, trace),
        *inner_stage(run),
        *tool_stage(run),
        StageStarted(stage="organization"),
        AgentStarted(
            agent_run_id=agent, agent="writer", label="", stage="organization", task="write"
        ),
        TextStarted(message_id=lost, agent_run_id=agent, visible=True),
        TextDelta(message_id=lost, text="17 x 23 is 3"),
        TextEnded(message_id=lost),
        AnswerFinished(message_id=lost, status="discarded", text="17 x 23 is 3"),
        TextStarted(message_id=message, agent_run_id=agent, visible=True),
        TextDelta(message_id=message, text="17 x 23 "),
        TextEnded(message_id=message),
        ReasoningStarted(message_id=message, agent_run_id=agent, visible=True),
        ReasoningDelta(message_id=message, text="Sure?"),
        ReasoningEnded(message_id=message),
        TextStarted(message_id=second, agent_run_id=agent, visible=True),
        TextDelta(message_id=second, text="is 391."),
        TextEnded(message_id=second, bill=bill(run, "answer", 5)),
        AnswerFinished(message_id=message, status="final", text="17 x 23 is 391."),
        AgentFinished(agent_run_id=agent, status="done"),
        StageFinished(stage="organization", status="done", output="17 x 23 is 391."),
    ]
    return numbered([*events, RunFinished(usage=used(events), message_id=message)])


def said_in(run: UUID) -> list[ShownMessage]:
    """What the run's messages in the database are, without the user's."""
    call = {"id": named(run, "call"), "name": "calculator", "arguments": '{"expression":"17*23"}'}
    return [
        ShownMessage(UUID(named(run, "ask")), "assistant", "", tool_calls=[call]),
        ShownMessage(UUID(named(run, "result")), "tool", "391", tool_call_id=call["id"]),
        ShownMessage(UUID(named(run, "answer")), "assistant", "17 x 23 is 391."),
    ]
