"""What a run goes on from, out of the journals of its chain."""

from __future__ import annotations

from uuid import UUID

from callsheet.interrupts.store import answered_for
from callsheet.runs.chain_store import ChainedEvent, chain_events
from callsheet.turn.record import Past, fold
from callsheet.wiring.core import Core
from callsheet.wiring.heard import heard


async def load_past(core: Core, run_id: UUID) -> Past:
    """What the run and those before it in its chain have done.

    Of a run that is taken over `own` is its own part; a run that goes on from another one, and has
    not begun itself, has none.
    """
    async with core.database.read() as tx:
        chained = await chain_events(tx, run_id)
        answers = await answered_for(tx, run_id)
    own = [one for one in chained if one.run_id == run_id]
    return Past(
        record=fold(one.event for one in chained),
        own=tuple(one.event for one in own),
        ran_s=_seconds(own),
        began_at=chained[0].at if chained else None,
        answers=tuple(heard(record) for record in answers),
    )


def _seconds(own: list[ChainedEvent]) -> float:
    return (own[-1].at - own[0].at).total_seconds() if own else 0.0
