"""What may follow what in a run: the rules of AG-UI's client, kept at the source.

The recorder checks every event against them, so that an illegal stream is never stored and
never shown; and it asks for the events that end what is still open when a run breaks off.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from callsheet.events.agent import AgentFinished, AgentStarted
from callsheet.events.call import LlmCallFinished, LlmCallStarted
from callsheet.events.reasoning import ReasoningDelta, ReasoningEnded, ReasoningStarted
from callsheet.events.run import RunStarted
from callsheet.events.stage import (
    EndStatus,
    StageFinished,
    StageRetried,
    StageSkipped,
    StageStarted,
)
from callsheet.events.states import STAGE, TOOL_CALL, StageState, ToolState
from callsheet.events.steered import Steered
from callsheet.events.text import TextDelta, TextEnded, TextStarted
from callsheet.events.tool import (
    ToolCallArgs,
    ToolCallEnded,
    ToolCallStarted,
    ToolResult,
    ToolStarted,
)
from callsheet.events.union import TELLS, TERMINAL, AnyRunEvent


class OrderViolation(Exception):
    """An event that may not stand where it stands: a fault of ours, never of a user."""


class OrderChecker:
    """The state of one run as a client sees it."""

    def __init__(self) -> None:
        self.started = False
        self.ended = False
        self._stage: str | None = None
        self._stages: dict[str, StageState] = {}
        self._agents: dict[str, bool] = {}
        self._texts: dict[str, bool] = {}
        self._shown: set[str] = set()
        self._reasonings: dict[str, bool] = {}
        self._tools: dict[str, ToolState] = {}
        self._calls: dict[str, bool] = {}

    def check(self, event: AnyRunEvent) -> None:
        """Take the event in.

        Raises OrderViolation, with the state unchanged, where it may not come.
        """
        if isinstance(event, TextDelta):
            self._need(self._texts.get(event.message_id) is True, event)
            return
        kind = type(event)
        if self.ended:
            raise OrderViolation(f"{kind.__name__} after the end of the run")
        if not self.started:
            self._need(kind is RunStarted, event)
            self.started = True
            return
        rule = _RULES.get(kind)
        if rule is not None:
            rule(self, event)

    def replay(self, events: Sequence[AnyRunEvent]) -> None:
        """Take in what a run has journaled. Calls that it ends and did not ask for were carried."""
        own = {event.tool_call_id for event in events if isinstance(event, ToolCallStarted)}
        ended = {e.tool_call_id for e in events if isinstance(e, (ToolStarted, ToolResult))}
        self.carry(ended - own)
        for event in events:
            self.check(event)

    def carry(self, tool_call_ids: Iterable[str]) -> None:
        """Take these calls, which an earlier run asked for, as asked: their results may come."""
        for tool_call_id in tool_call_ids:
            self._tools.setdefault(tool_call_id, "asked")

    def open_model_calls(self) -> tuple[str, ...]:
        """The ids of model calls that were started and not finished."""
        return tuple(call for call, is_open in self._calls.items() if is_open)

    def closers(self, status: EndStatus) -> tuple[AnyRunEvent, ...]:
        """The events that end all that is open, innermost first; model calls apart."""
        events: list[AnyRunEvent] = []
        events += [TextEnded(message_id=m) for m, o in self._texts.items() if o]
        events += [ReasoningEnded(message_id=m) for m, o in self._reasonings.items() if o]
        events += [ToolCallEnded(tool_call_id=t) for t, s in self._tools.items() if s == "asking"]
        events += [
            AgentFinished(agent_run_id=a, status=status)
            for a, o in reversed(self._agents.items())
            if o
        ]
        if self._stage is not None:
            events.append(StageFinished(stage=self._stage, status=status))
        return tuple(events)

    # -- rules, one per event ------------------------------------------------------------------

    @staticmethod
    def _need(condition: bool, event: Any) -> None:  # noqa: FBT001 - reads as "need that"
        if not condition:
            raise OrderViolation(f"{event} may not come here")

    def _run_started(self, event: RunStarted) -> None:
        raise OrderViolation(f"{event} may not come again")

    def _run_ended(self, event: Any) -> None:
        still_open = [*self.closers("failed"), *self.open_model_calls()]
        if still_open:
            raise OrderViolation(f"{type(event).__name__} with {still_open} open")
        self.ended = True

    def _steered_into(self, event: Steered) -> None:
        self._need(self._stage is not None, event)  # somebody is at work who takes it in

    def _stage_started(self, event: StageStarted) -> None:
        self._need(self._stage is None, event)
        self._stage_becomes(event, "running")
        self._stage = event.stage

    def _stage_skipped(self, event: StageSkipped) -> None:
        self._need(self._stage is None, event)
        self._stage_becomes(event, "skipped")

    def _stage_retried(self, event: StageRetried) -> None:
        self._need(self._stage == event.stage, event)
        self._stage_becomes(event, "running")

    def _stage_finished(self, event: StageFinished) -> None:
        self._need(self._stage == event.stage, event)
        self._need(not any(self._agents.values()), event)
        self._stage_becomes(event, event.status)
        self._stage = None

    def _stage_becomes(
        self, event: StageStarted | StageSkipped | StageRetried | StageFinished, state: StageState
    ) -> None:
        before = self._stages.get(event.stage, "pending")
        self._need(STAGE.allows(before, state), event)
        self._stages[event.stage] = state

    def _agent_started(self, event: AgentStarted) -> None:
        self._need(event.agent_run_id not in self._agents, event)
        parent = event.parent_agent_run_id
        self._need(parent is None or parent in self._agents, event)
        self._agents[event.agent_run_id] = True

    def _agent_finished(self, event: AgentFinished) -> None:
        self._need(self._agents.get(event.agent_run_id) is True, event)
        self._agents[event.agent_run_id] = False

    def _call_started(self, event: LlmCallStarted) -> None:
        self._need(event.call_id not in self._calls, event)
        self._calls[event.call_id] = True

    def _call_finished(self, event: LlmCallFinished) -> None:
        """A refused call has not begun: it need not have been started, and comes once."""
        is_open = self._calls.get(event.call_id)
        never_begun = is_open is None and event.status == "refused"
        self._need(is_open is True or never_begun, event)
        self._calls[event.call_id] = False

    def _text_started(self, event: TextStarted) -> None:
        """An inner stage's text may come again, once, when it turns out to be the answer."""
        again = event.visible and event.message_id not in self._shown
        self._need(event.message_id not in self._texts or again, event)
        self._need(self._texts.get(event.message_id) is not True, event)
        self._need(self._reasonings.get(event.message_id) is not True, event)
        self._texts[event.message_id] = True
        if event.visible:
            self._shown.add(event.message_id)

    def _text_ended(self, event: TextEnded) -> None:
        self._need(self._texts.get(event.message_id) is True, event)
        self._texts[event.message_id] = False

    def _reasoning_started(self, event: ReasoningStarted) -> None:
        self._need(event.message_id not in self._reasonings, event)
        self._need(self._texts.get(event.message_id) is not True, event)
        self._reasonings[event.message_id] = True

    def _reasoning_delta(self, event: ReasoningDelta) -> None:
        self._need(self._reasonings.get(event.message_id) is True, event)

    def _reasoning_ended(self, event: ReasoningEnded) -> None:
        self._need(self._reasonings.get(event.message_id) is True, event)
        self._reasonings[event.message_id] = False

    def _tool_call_started(self, event: ToolCallStarted) -> None:
        self._need(event.tool_call_id not in self._tools, event)
        self._need(self._texts.get(event.message_id) is not True, event)
        self._need(self._reasonings.get(event.message_id) is not True, event)
        self._tools[event.tool_call_id] = "asking"

    def _tool_call_args(self, event: ToolCallArgs) -> None:
        self._need(self._tools.get(event.tool_call_id) == "asking", event)

    def _tool_call_ended(self, event: ToolCallEnded) -> None:
        self._tool_becomes(event, "asked")

    def _tool_started(self, event: ToolStarted) -> None:
        self._tool_becomes(event, "running")

    def _tool_tells(self, event: Any) -> None:
        self._need(self._tools.get(event.tool_call_id) == "running", event)

    def _tool_result(self, event: ToolResult) -> None:
        self._tool_becomes(event, event.status)

    def _tool_becomes(
        self, event: ToolCallEnded | ToolStarted | ToolResult, state: ToolState
    ) -> None:
        before = self._tools.get(event.tool_call_id)
        self._need(before is not None and TOOL_CALL.allows(before, state), event)
        self._tools[event.tool_call_id] = state


_RULES: Final[dict[type, Callable[[OrderChecker, Any], None]]] = {
    RunStarted: OrderChecker._run_started,
    **dict.fromkeys(TERMINAL, OrderChecker._run_ended),
    Steered: OrderChecker._steered_into,
    StageStarted: OrderChecker._stage_started,
    StageFinished: OrderChecker._stage_finished,
    StageSkipped: OrderChecker._stage_skipped,
    StageRetried: OrderChecker._stage_retried,
    AgentStarted: OrderChecker._agent_started,
    AgentFinished: OrderChecker._agent_finished,
    LlmCallStarted: OrderChecker._call_started,
    LlmCallFinished: OrderChecker._call_finished,
    TextStarted: OrderChecker._text_started,
    TextEnded: OrderChecker._text_ended,
    ReasoningStarted: OrderChecker._reasoning_started,
    ReasoningDelta: OrderChecker._reasoning_delta,
    ReasoningEnded: OrderChecker._reasoning_ended,
    ToolCallStarted: OrderChecker._tool_call_started,
    ToolCallArgs: OrderChecker._tool_call_args,
    ToolCallEnded: OrderChecker._tool_call_ended,
    ToolStarted: OrderChecker._tool_started,
    **dict.fromkeys(TELLS, OrderChecker._tool_tells),
    ToolResult: OrderChecker._tool_result,
}
