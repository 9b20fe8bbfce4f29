"""Live fan-out of journaled events to the viewers in this process."""

from __future__ import annotations

from uuid import UUID

from callsheet.events.entry import Entry
from callsheet.events.union import TERMINAL
from callsheet.kit.errors import AppError
from callsheet.stream.subscription import Subscription


class LocalBroker:
    """Implements `Broker` for a process that is alone. Used from the event loop only."""

    def __init__(self) -> None:
        self._viewers: dict[UUID, list[Subscription]] = {}

    def publish(self, run_id: UUID, entries: tuple[Entry, ...]) -> None:
        """Hand committed entries to the run's viewers; after the last one they are forgotten."""
        for viewer in self._viewers.get(run_id, ()):
            viewer.put(entries)
        if entries and isinstance(entries[-1].event, TERMINAL):
            self._viewers.pop(run_id, None)

    def break_off(self, run_id: UUID, error: AppError | None) -> None:
        """Tell the run's viewers that no more of it can be shown here; forget them.

        `error` is raised to them once they have seen what is stored; without one their view ends.
        """
        for viewer in self._viewers.pop(run_id, ()):
            viewer.break_off(error)

    def subscribe(self, run_id: UUID) -> Subscription:
        """Begin to receive what is published from now on; `unsubscribe` ends it."""
        viewer = Subscription()
        self._viewers.setdefault(run_id, []).append(viewer)
        return viewer

    def caught_up(self, run_id: UUID, viewer: Subscription, seq: int) -> None:
        """The viewer has read the journal up to `seq` and waits for what follows."""
        del run_id
        viewer.last = seq

    def last_seen(self, run_id: UUID) -> int | None:
        """How far the viewer is that is farthest; None while all have yet to read."""
        reached = [v.last for v in self._viewers.get(run_id, ()) if v.last is not None]
        return max(reached, default=None)

    def looked_at(self) -> tuple[UUID, ...]:
        """The runs that somebody looks at."""
        return tuple(self._viewers)

    def is_watched(self, run_id: UUID) -> bool:
        """Whether anybody looks at the run."""
        return run_id in self._viewers

    def viewers(self, run_id: UUID) -> int:
        """How many look at the run."""
        return len(self._viewers.get(run_id, ()))

    def unsubscribe(self, run_id: UUID, viewer: Subscription) -> None:
        """Stop receiving; safe to call twice."""
        viewers = self._viewers.get(run_id)
        if viewers is None:
            return
        if viewer in viewers:
            viewers.remove(viewer)
        if not viewers:
            del self._viewers[run_id]
