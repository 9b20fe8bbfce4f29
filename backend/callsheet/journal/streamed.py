"""What had come of each answer when a run broke off, read from its journal; pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from callsheet.events.call import LlmCallStarted
from callsheet.events.reasoning import ReasoningDelta, ReasoningStarted
from callsheet.events.text import TextDelta, TextStarted
from callsheet.events.tool import ToolCallArgs, ToolCallStarted
from callsheet.events.union import AnyRunEvent


@dataclass(slots=True)
class Streamed:
    """Pieces of one answer, in order: what it said, thought, and asked tools for."""

    said: list[str] = field(default_factory=list)
    thought: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The answer's text so far."""
        return "".join(self.said)

    @property
    def reasoning(self) -> str:
        """The answer's reasoning so far."""
        return "".join(self.thought)

    @property
    def everything(self) -> str:
        """All that the model had sent; what it bills."""
        return "".join([*self.said, *self.thought, *self.asked])


def streamed_answers(events: Iterable[AnyRunEvent]) -> dict[str, Streamed]:
    """Each answer that was begun, by its message's id.

    An answer may come in several texts and thoughts, whose ids are not the message's: they
    belong to what their agent was asked last.
    """
    answers: dict[str, Streamed] = {}
    by_agent: dict[str, Streamed] = {}
    by_part: dict[str, Streamed] = {}
    for event in events:
        match event:
            case LlmCallStarted():
                answer = answers.setdefault(event.message_id, Streamed())
                by_agent[event.agent_run_id] = by_part[event.message_id] = answer
            case TextStarted() | ReasoningStarted():
                if event.message_id not in by_part and event.agent_run_id in by_agent:
                    by_part[event.message_id] = by_agent[event.agent_run_id]
            case ToolCallStarted():
                if event.message_id in answers:
                    by_part[event.tool_call_id] = answers[event.message_id]
            case TextDelta():
                _of(by_part, event.message_id).said.append(event.text)
            case ReasoningDelta():
                _of(by_part, event.message_id).thought.append(event.text)
            case ToolCallArgs():
                _of(by_part, event.tool_call_id).asked.append(event.text)
            case _:
                pass
    return answers


def _of(by_part: dict[str, Streamed], part: str) -> Streamed:
    return by_part.get(part) or Streamed()
