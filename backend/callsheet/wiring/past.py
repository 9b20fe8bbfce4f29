"""What a run goes on from, out of the journals of its chain."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from uuid import UUID

from callsheet.events.interrupt import InterruptAnswered
from callsheet.events.union import AnyRunEvent
from callsheet.interrupts.store import answered_for
from callsheet.runs.chain_store import ChainedEvent, chain_events
from callsheet.turn.record import Past, fold
from callsheet.wiring.core import Core
from callsheet.wiring.heard import heard

_Answers = Mapping[UUID, Sequence[InterruptAnswered]]


async def load_past(core: Core, run_id: UUID) -> Past:
    """What the run and those before it in its chain have done.

    Of a run that is taken over `own` is its own part; a run that goes on from another one, and has
    not begun itself, has none. What people said to it counts also where its process was gone before
    it could journal that.
    """
    async with core.database.read() as tx:
        chained = await chain_events(tx, run_id)
        said = await answered_for(tx, {run_id, *(one.run_id for one in chained)})
    answers: dict[UUID, list[InterruptAnswered]] = {}
    for record in said:
        if record.answered_run_id is not None:
            answers.setdefault(record.answered_run_id, []).append(heard(record))
    own = [one for one in chained if one.run_id == run_id]
    return Past(
        record=fold(_told(chained, answers, run_id)),
        own=tuple(one.event for one in own),
        ran_s=_seconds(own),
        began_at=chained[0].at if chained else None,
        answers=tuple(answers.get(run_id, ())),
    )


def _told(
    chained: Sequence[ChainedEvent], answers: _Answers, run_id: UUID
) -> Iterator[AnyRunEvent]:
    """The events of the chain, with what people said at the beginning of each run."""
    begun: set[UUID] = set()
    for one in chained:
        yield one.event
        if one.run_id not in begun:
            begun.add(one.run_id)
            yield from answers.get(one.run_id, ())
    if run_id not in begun:
        yield from answers.get(run_id, ())


def _seconds(own: list[ChainedEvent]) -> float:
    return (own[-1].at - own[0].at).total_seconds() if own else 0.0
