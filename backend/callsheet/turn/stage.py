"""One stage of a turn: its deadline, its retries, its begin and end."""

from __future__ import annotations

from dataclasses import replace

from callsheet.events.stage import StageFinished, StageRetried, StageStarted
from callsheet.events.text import TextStarted
from callsheet.events.union import AnyRunEvent
from callsheet.kit.errors import AppError
from callsheet.kit.json import encode
from callsheet.turn.meter import Meter
from callsheet.turn.ports import StageRunner, StageWork
from callsheet.turn.recorder import Recorder
from callsheet.turn.view import StageResult


async def run_stage(
    runner: StageRunner, work: StageWork, recorder: Recorder, meter: Meter
) -> StageResult:
    """Run the stage until it has a result or has used up its attempts.

    Once a user may have read some of its text it is not begun again: the text would stand there
    twice.

    Raises:
        AppError: the last attempt's failure. StageFinished was emitted.
    """
    stage = work.stage
    recorder.emit(StageStarted(stage=stage.name))
    whole = work.deadline.within(stage.timeout_s)
    watch = _Watch(recorder)
    attempt = work.attempt
    while True:
        try:
            said = work.record.steered_in(stage.name, before=attempt)
            view = work.view.steered(said)
            once = replace(work, attempt=attempt, deadline=whole, view=view)
            result = await runner.run(once, watch.emit, meter)
        except AppError as error:
            again = (
                attempt - work.attempt + 1 < stage.retry.attempts
                and error.error_code in stage.retry.on
                and not watch.has_shown_text
                and not whole.passed()
            )
            if not again:
                recorder.emit(StageFinished(stage=stage.name, status="failed"))
                raise
            attempt += 1
            recorder.emit(StageRetried(stage=stage.name, attempt=attempt, code=error.error_code))
        else:
            recorder.emit(
                StageFinished(
                    stage=stage.name,
                    status="done",
                    output=_output(result),
                    structured=result.output is not None,
                )
            )
            return result


class _Watch:
    """Hands events on and notices text that a user may read."""

    def __init__(self, recorder: Recorder) -> None:
        self.has_shown_text = False
        self._emit = recorder.emit

    def emit(self, event: AnyRunEvent) -> None:
        self._emit(event)
        if isinstance(event, TextStarted) and event.visible:
            self.has_shown_text = True


def _output(result: StageResult) -> str:
    if result.output is None:
        return result.text
    return encode(result.output).decode()
