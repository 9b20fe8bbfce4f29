"""From the parts of a streamed answer to the events of a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Literal
from uuid import UUID

from callsheet.crew.answer import Answer
from callsheet.crew.frame import Frame
from callsheet.events.call import RequestedTool
from callsheet.events.reasoning import ReasoningDelta, ReasoningEnded, ReasoningStarted
from callsheet.events.text import TextDelta, TextEnded, TextStarted
from callsheet.events.tool import ToolCallArgs, ToolCallEnded, ToolCallStarted
from callsheet.events.usage import Bill
from callsheet.kit.ids import new_id, part_id
from callsheet.llm.chat import ChatPart, FinishPart, ReasoningPart, TextPart, ToolCallPart
from callsheet.turn.ports import Emit

_Kind = Literal["text", "reasoning"]

NAME_CHARS: Final = 100
"""Longest name of a tool that `messages` holds; a model may make up a longer one."""


@dataclass(slots=True)
class _Call:
    tool_call_id: str
    name: str
    arguments: list[str] = field(default_factory=list)


class AnswerBridge:
    """The stream of one answer.

    Adjacent parts of a kind become one event for each `take`. Text and reasoning that alternate
    become segments: the first has the message's id, a later one an id derived from it. A tool
    call gets an id of ours, since providers repeat theirs, and stays open until the answer ends.
    """

    def __init__(self, frame: Frame, message_id: str, emit: Emit) -> None:
        self._frame = frame
        self._message_id = message_id
        self._emit = emit
        self._open: tuple[_Kind, str] | None = None
        self._segments: dict[_Kind, int] = {"text": 0, "reasoning": 0}
        self._texts: list[str] = []
        self._reasonings: list[str] = []
        self._blank = ""
        self._calls: dict[int, _Call] = {}
        self._ended = False
        self.finish_reason: str | None = None

    @property
    def has_content(self) -> bool:
        """Whether the model has said, thought or asked for anything."""
        return bool(self._texts or self._reasonings or self._calls)

    @property
    def complete(self) -> bool:
        """Whether the provider has said its last word, and that it stopped by itself."""
        return self.finish_reason is not None and self.finish_reason != "content_filter"

    def take(self, parts: Sequence[ChatPart]) -> None:
        """Emit what one network read brought."""
        kind: _Kind | None = None
        joined: list[str] = []
        for part in parts:
            now = _kind_of(part)
            if now is None or now != kind:
                if kind is not None:
                    self._say(kind, "".join(joined))
                    joined = []
                kind = now
            if isinstance(part, (TextPart, ReasoningPart)):
                joined.append(part.text)
            elif isinstance(part, ToolCallPart):
                self._ask(part)
            elif isinstance(part, FinishPart):
                self.finish_reason = part.reason
        if kind is not None:
            self._say(kind, "".join(joined))

    def answer(self) -> Answer:
        """What has come so far."""
        return Answer(
            message_id=self._message_id,
            text="".join(self._texts),
            reasoning="".join(self._reasonings),
            tool_calls=tuple(
                RequestedTool(
                    tool_call_id=call.tool_call_id,
                    name=call.name,
                    arguments="".join(call.arguments),
                )
                for call in self._calls.values()
            ),
            finish_reason=self.finish_reason,
        )

    def end(self, bill: Bill | None) -> None:
        """Close what is open; the last of the closing events carries the bill. Once."""
        if self._ended:
            return
        self._ended = True
        calls = list(self._calls.values())
        self._end_segment(None if calls else bill)
        for call in calls:
            if not "".join(call.arguments).strip():
                call.arguments = ["{}"]
                self._emit(ToolCallArgs(tool_call_id=call.tool_call_id, text="{}"))
            last = call is calls[-1]
            self._emit(ToolCallEnded(tool_call_id=call.tool_call_id, bill=bill if last else None))

    def _say(self, kind: _Kind, text: str) -> None:
        """More text or reasoning; blank lines before the first word of a segment are dropped."""
        if self._open is None or self._open[0] != kind:
            text = (self._blank + text).lstrip("\r\n") if kind == "text" else text
            if not text.strip():
                self._blank = text if kind == "text" else ""
                return
            self._blank = ""
            self._begin_segment(kind)
        if not text or self._open is None:
            return
        segment = self._open[1]
        if kind == "text":
            self._texts.append(text)
            self._emit(TextDelta(message_id=segment, text=text))
        else:
            self._reasonings.append(text)
            self._emit(ReasoningDelta(message_id=segment, text=text))

    def _begin_segment(self, kind: _Kind) -> None:
        self._end_segment(None)
        number = self._segments[kind] = self._segments[kind] + 1
        segment = self._message_id
        if number > 1:
            segment = str(part_id(UUID(self._message_id), f"{kind}-{number}"))
        self._open = (kind, segment)
        started = TextStarted if kind == "text" else ReasoningStarted
        self._emit(
            started(
                message_id=segment,
                agent_run_id=self._frame.agent_run_id,
                visible=self._frame.visible,
            )
        )

    def _end_segment(self, bill: Bill | None) -> None:
        if self._open is None:
            return
        kind, segment = self._open
        self._open = None
        ended = TextEnded if kind == "text" else ReasoningEnded
        self._emit(ended(message_id=segment, bill=bill))

    def _ask(self, part: ToolCallPart) -> None:
        call = self._calls.get(part.index)
        if call is None:
            self._end_segment(None)
            call = self._calls[part.index] = _Call(str(new_id()), _name_of(part))
            self._emit(
                ToolCallStarted(
                    tool_call_id=call.tool_call_id,
                    tool=call.name,
                    message_id=self._message_id,
                    agent_run_id=self._frame.agent_run_id,
                    visible=self._frame.visible,
                )
            )
        if part.arguments:
            call.arguments.append(part.arguments)
            self._emit(ToolCallArgs(tool_call_id=call.tool_call_id, text=part.arguments))


def _name_of(part: ToolCallPart) -> str:
    return (part.name or "unnamed")[:NAME_CHARS]


def _kind_of(part: ChatPart) -> _Kind | None:
    if isinstance(part, TextPart):
        return "text"
    return "reasoning" if isinstance(part, ReasoningPart) else None
