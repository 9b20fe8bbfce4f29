"""What a stage decided, what a model was not told, and what it was told meanwhile: ACTIVITY."""

from __future__ import annotations

from typing import Any, Final
from uuid import UUID

from callsheet.agui.activity import activity_snapshot
from callsheet.agui.frame import FrameWriter, Writers
from callsheet.events.agent import HistoryCut
from callsheet.events.stage import StageFinished, StageSkipped
from callsheet.events.steered import Steered
from callsheet.kit.ids import part_id
from callsheet.kit.json import decode

STAGE: Final = "callsheet.stage"
HISTORY: Final = "callsheet.history"
STEERED: Final = "callsheet.steered"


class ActivityFrames:
    """One activity for each stage that has something to tell, and for each message on the way."""

    def __init__(self, out: FrameWriter, run_id: UUID) -> None:
        self._out = out
        self._run_id = run_id

    def writers(self) -> Writers:
        """Which event is written by what."""
        return {
            StageFinished: self._stage_finished,
            StageSkipped: self._stage_skipped,
            HistoryCut: self._history_cut,
            Steered: self._steered,
        }

    def _stage_finished(self, event: StageFinished) -> None:
        """A stage whose result is an object: what it decided. Others have said it as text."""
        decided = _object(event.output) if event.structured else None
        if decided is not None:
            self._put(STAGE, event.stage, {"stage": event.stage, "output": decided})

    def _stage_skipped(self, event: StageSkipped) -> None:
        self._put(STAGE, event.stage, {"stage": event.stage, "skipped": True})

    def _history_cut(self, event: HistoryCut) -> None:
        content = {"stage": event.stage, "turnsLeftOut": event.turns_left_out}
        self._put(HISTORY, event.stage, content)

    def _steered(self, event: Steered) -> None:
        content = {"messageId": event.message_id, "text": event.text}
        self._put(STEERED, event.run_id, content)

    def _put(self, kind: str, part: str, content: dict[str, Any]) -> None:
        self._out.put(
            activity_snapshot(str(part_id(self._run_id, f"{kind}-{part}")), kind, content)
        )


def _object(text: str | None) -> dict[str, Any] | None:
    value = decode(text) if text else None
    return value if isinstance(value, dict) else None
