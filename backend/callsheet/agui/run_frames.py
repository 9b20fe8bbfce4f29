"""Run events on the wire: RUN_STARTED, RUN_FINISHED, RUN_ERROR."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from callsheet.agui.frame import FrameWriter, Writers
from callsheet.agui.interrupts import outcome_of
from callsheet.agui.run_input import Protocol
from callsheet.agui.show import ShowOptions
from callsheet.agui.usage import run_cost, token_usage
from callsheet.events.call import AnswerFinished
from callsheet.events.run import RunCancelled, RunFailed, RunFinished, RunPaused, RunStarted

PROTOCOL_VERSION: Final = "1.0"


@dataclass(frozen=True, slots=True)
class WireIds:
    """How the client spells the run: these are in every event that names thread or run."""

    thread_id: str
    run_id: str
    parent_run_id: str | None = None


class RunFrames:
    """Begin and end of one run, for a client of one generation."""

    def __init__(
        self,
        out: FrameWriter,
        run_id: str,
        ids: WireIds,
        protocol: Protocol,
        show: ShowOptions,
        history: Sequence[dict[str, Any]] = (),
    ) -> None:
        self._out = out
        self._history = history
        self._run_id = run_id
        self._ids = ids
        self._protocol = protocol
        self._show = show
        self._is_open = False
        self._model_only: set[str] = set()

    def open_early(self, session_id: str) -> None:
        """Begin before the run does, for a client with nothing in hand: it has not to wait."""
        self._is_open = True
        self._out.put_beside({**self._begin(), "metadata": {"callsheet": self._own(session_id)}})
        for before in self._history:
            self._out.put_beside(before)

    def writers(self) -> Writers:
        """Which event is written by what."""
        return {
            RunStarted: self._started,
            RunFinished: self._finished,
            RunFailed: self._failed,
            RunCancelled: self._cancelled,
            RunPaused: self._paused,
            AnswerFinished: self._answered,
        }

    def _started(self, event: RunStarted) -> None:
        self._out.trace(event.trace_id)
        if self._is_open:
            self._out.pass_over()
            return
        named = {"workflow": event.workflow, "revision": event.revision}
        self._out.put(
            self._begin(),
            {**self._own(event.session_id), **named},
        )
        for before in self._history:
            self._out.put_beside(before)

    def _begin(self) -> dict[str, Any]:
        started = {"type": "RUN_STARTED", **self._envelope(), "protocolVersion": PROTOCOL_VERSION}
        if self._ids.parent_run_id is not None:
            started["parentRunId"] = self._ids.parent_run_id
        return started

    def _own(self, session_id: str) -> dict[str, Any]:
        return {"sessionId": session_id, "runId": self._run_id}

    def _answered(self, event: AnswerFinished) -> None:
        """Not written; whether the answer rests on sources is told with the end of the run."""
        if event.metadata.get("model_only"):
            self._model_only.add(event.message_id)

    def _finished(self, event: RunFinished) -> None:
        named: dict[str, Any] = {"messageId": event.message_id} if event.message_id else {}
        if event.message_id in self._model_only:
            named["modelOnly"] = True
        if event.steered_run_id:
            named["steeredRunId"] = event.steered_run_id
        self._out.put(self._finish(event), {**run_cost(event.usage, self._show), **named})

    def _failed(self, event: RunFailed) -> None:
        self._out.put(
            {
                "type": "RUN_ERROR",
                "message": self._show.told(event.code, event.message),
                "code": event.code,
                "usage": token_usage(event.usage, self._show),
            },
            run_cost(event.usage, self._show),
        )

    def _cancelled(self, event: RunCancelled) -> None:
        own = {**run_cost(event.usage, self._show), "reason": event.reason}
        if self._protocol == "0.x":  # an outcome that these clients do not know is fatal to them
            self._out.put(self._finish(event), own, {"finishReason": "cancelled"})
        else:
            self._out.put({**self._finish(event), "outcome": {"type": "cancelled"}}, own)

    def _paused(self, event: RunPaused) -> None:
        own = {**run_cost(event.usage, self._show), "status": "waiting_input"}
        outcome = outcome_of(event.interrupts, self._protocol, self._show)
        self._out.put({**self._finish(event), **outcome}, own)

    def _finish(self, event: RunFinished | RunCancelled | RunPaused) -> dict[str, Any]:
        return {
            "type": "RUN_FINISHED",
            **self._envelope(),
            "usage": token_usage(event.usage, self._show),
        }

    def _envelope(self) -> dict[str, Any]:
        return {"threadId": self._ids.thread_id, "runId": self._ids.run_id}
