"""Sets a client right at the end of a run in which something that it saw was taken back."""

from __future__ import annotations

from typing import Any

from callsheet.agui.frame import FrameWriter, Writers
from callsheet.events.call import AnswerFinished
from callsheet.events.text import TextStarted
from callsheet.events.tool import ToolCallStarted
from callsheet.events.union import TERMINAL


class TakenBack:
    """Notices that an answer whose text or tool calls were streamed is discarded.

    What a client was sent it keeps, until a MESSAGES_SNAPSHOT leaves it out. `correct` gives that
    snapshot; it goes out before the run's end. Reasoning is not said, so nobody takes it back.
    """

    def __init__(self, out: FrameWriter) -> None:
        self._out = out
        self._streamed: set[str] = set()
        self._snapshot: dict[str, Any] | None = None
        self.anything = False

    def writers(self) -> Writers:
        """Which event is taken note of by what."""
        return {
            TextStarted: self._text_started,
            ToolCallStarted: self._call_started,
            AnswerFinished: self._answer_finished,
        }

    def last_writers(self) -> Writers:
        """What is written before the end of the run."""
        return dict.fromkeys(TERMINAL, self._set_right)

    def correct(self, snapshot: dict[str, Any]) -> None:
        """What was said, for the clients that come to the run's end."""
        self._snapshot = snapshot

    def _text_started(self, event: TextStarted) -> None:
        if event.visible:
            self._streamed.add(event.message_id)

    def _call_started(self, event: ToolCallStarted) -> None:
        self._streamed.add(event.message_id)

    def _answer_finished(self, event: AnswerFinished) -> None:
        if event.status == "discarded" and event.message_id in self._streamed:
            self.anything = True

    def _set_right(self, event: object) -> None:
        del event
        if self._snapshot is not None:
            self._out.put(self._snapshot)
