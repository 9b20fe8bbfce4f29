"""What the user says to an agent at work."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from callsheet.crew.frame import Frame
from callsheet.crew.messages import ChatMessage, on_the_way
from callsheet.events.steered import Steered
from callsheet.turn.ports import Emit, StageWork


class Ear:
    """Hears for one execution. What was heard before is heard at the same place again.

    A coworker hears nothing: it knows no more than what it was told by who asked.
    """

    def __init__(
        self, frame: Frame, work: StageWork, emit: Emit, stored: Callable[[], Awaitable[None]]
    ) -> None:
        """`stored` returns once what was emitted so far is committed."""
        self._frame = frame
        self._work = work
        self._emit = emit
        self._stored = stored

    async def hear(self, iteration: int) -> Sequence[ChatMessage]:
        """What the model is to know from that answer on; it is committed by then."""
        record, path = self._work.record, self._frame.path
        steering = self._work.steering
        deaf = self._frame.depth > 0 or record.answer(path, iteration) is not None
        if steering is not None and not deaf and (found := await steering()):
            for each in found:
                event = Steered(
                    run_id=each.run_id,
                    message_id=each.message_id,
                    text=each.text,
                    path=path,
                    iteration=iteration,
                )
                self._emit(event)
                record.take(event)
            await self._stored()
        return [on_the_way(text) for text in record.steered_at(path, iteration)]
