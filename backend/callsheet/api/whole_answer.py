"""A run as one JSON document, for callers that do not stream."""

from __future__ import annotations

from typing import Any

import msgspec

from callsheet.agui.run_input import RunInput
from callsheet.agui.show import ShowOptions
from callsheet.agui.source_frames import grounds_fields
from callsheet.agui.usage import bill_fields, run_cost, token_usage
from callsheet.api.documents import Answer, AnswerMessage, Failure, Usage
from callsheet.api.interrupt_views import asked_view
from callsheet.events.call import AnswerFinished
from callsheet.events.run import RunCancelled, RunFailed, RunFinished, RunPaused
from callsheet.events.text import TextDelta, TextEnded, TextStarted
from callsheet.events.tool import ToolCallEnded
from callsheet.events.union import TERMINAL, AnyRunEvent
from callsheet.events.usage import Bill
from callsheet.runs.started import StartedRun


class WholeAnswer:
    """Collects what a caller gets at the end. Feed it every event in order."""

    def __init__(self, show: ShowOptions) -> None:
        self._show = show
        self._texts: dict[str, list[str]] = {}
        self._answers: dict[str, str] = {}
        self._bills: dict[str, Bill] = {}
        self._grounds: dict[str, dict[str, Any]] = {}
        self._end: RunFinished | RunFailed | RunCancelled | RunPaused | None = None

    def take(self, event: AnyRunEvent) -> None:
        """Note what belongs to the answer; visible text only.

        An answer that thinks in between comes in several texts, of which the first has its id.
        """
        if isinstance(event, TextDelta):
            if event.message_id in self._texts:
                self._texts[event.message_id].append(event.text)
        elif isinstance(event, TextStarted):
            if event.visible:
                self._texts.setdefault(event.message_id, [])
        elif isinstance(event, TextEnded | ToolCallEnded):
            if event.bill is not None:
                self._bills[event.bill.message_id] = event.bill
        elif isinstance(event, AnswerFinished):
            self._finished(event)
        elif isinstance(event, TERMINAL):
            self._end = event

    def _finished(self, answer: AnswerFinished) -> None:
        if answer.status == "discarded":
            self._texts.pop(answer.message_id, None)
        elif answer.message_id in self._texts:
            self._answers[answer.message_id] = answer.text
            self._grounds[answer.message_id] = grounds_fields(answer.metadata)

    def document(self, run: StartedRun, asked: RunInput) -> Answer:
        """The answer. A run whose end was not seen is `interrupted`."""
        used = self._end.usage if self._end is not None else ()
        return Answer(
            session_id=run.session_id,
            thread_id=asked.raw_thread_id,
            run_id=run.run_id,
            trace_id=run.trace_id,
            message=self._message(),
            usage=msgspec.convert(token_usage(used, self._show), list[Usage]),
            **(run_cost(used, self._show) or ({"cost": "0"} if self._show.costs else {})),
            **self._status(),
        )

    def _message(self) -> AnswerMessage | None:
        named = self._end.message_id if isinstance(self._end, RunFinished) else None
        shown = self._answers or {name: "".join(text) for name, text in self._texts.items()}
        message_id = named if named in shown else next(reversed(shown), None)
        if message_id is None:
            return None
        own = {
            **(bill_fields(self._bills.get(message_id), self._show) or {}),
            **self._grounds.get(message_id, {}),
        }
        return AnswerMessage(
            id=message_id,
            role="assistant",
            content=shown[message_id],
            metadata={"callsheet": own} if own else msgspec.UNSET,
        )

    def _status(self) -> dict[str, Any]:
        match self._end:
            case RunFinished(steered_run_id=str(steered)):
                return {"status": "succeeded", "steered_run_id": steered}
            case RunFinished():
                return {"status": "succeeded"}
            case RunFailed(code=code, message=message):
                return {
                    "status": "failed",
                    "error": Failure(code=code, message=self._show.told(code, message)),
                }
            case RunPaused(interrupts=interrupts):
                asked = [asked_view(each, self._show) for each in interrupts]
                return {"status": "waiting_input", "interrupts": asked}
            case RunCancelled(reason=reason):
                return {"status": "cancelled", "reason": reason}
            case _:
                return {"status": "interrupted"}
