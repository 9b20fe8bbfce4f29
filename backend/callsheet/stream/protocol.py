"""What carries committed events of runs to whoever looks on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Protocol
from uuid import UUID

from callsheet.events.entry import Entry
from callsheet.kit.errors import AppError
from callsheet.stream.subscription import Subscription

Entries = tuple[Entry, ...]


class Broker(Protocol):
    """Knows who looks at which run. Used from the event loop only."""

    def publish(self, run_id: UUID, entries: Entries, /) -> None:
        """Hand entries that this process has committed to the run's viewers, wherever they are."""
        ...

    def subscribe(self, run_id: UUID, /) -> Subscription:
        """Begin to receive what is committed from now on; `unsubscribe` ends it."""
        ...

    def unsubscribe(self, run_id: UUID, viewer: Subscription, /) -> None:
        """Stop receiving; safe to call twice."""
        ...

    def caught_up(self, run_id: UUID, viewer: Subscription, seq: int, /) -> None:
        """The viewer has read the journal up to `seq` and waits for what follows."""
        ...

    def break_off(self, run_id: UUID, error: AppError | None, /) -> None:
        """Tell the run's viewers in this process that no more of it can be shown here."""
        ...

    def looked_at(self) -> tuple[UUID, ...]:
        """The runs that somebody looks at in this process."""
        ...

    def is_watched(self, run_id: UUID, /) -> bool:
        """Whether anybody looks at the run, in this process or, as far as is known, another."""
        ...


class JournalReader(Protocol):
    """Reads stored events."""

    async def after(self, run_id: UUID, seq: int, limit: int) -> Entries:
        """Entries with a higher seq, in order: at least `limit` where there are as many."""
        ...

    async def after_each(self, seqs: Mapping[UUID, int], limit: int) -> Mapping[UUID, Entries]:
        """The same for several runs at once; one without any is left out."""
        ...


class Line(Protocol):
    """Says words to the other processes and hears theirs. What is not heard is lost."""

    async def say(self, words: Sequence[str], /) -> bool:
        """Tell everybody who listens now, this process too; False where the line is down."""
        ...

    async def listen(self, take: Callable[[str], None], ready: Callable[[], None], /) -> None:
        """Hand every word to `take` until cancelled; `ready` is called once they are heard.

        Raises:
            Unavailable: the line is lost, or was not to be had.
        """
        ...


class Carrier(Protocol):
    """Brings committed entries to the processes that look at their runs, without the journal."""

    def send(self, run_id: UUID, entries: Entries, /) -> bool:
        """Send them soon, in order; False where that cannot be."""
        ...

    def watch(self, run_ids: Iterable[UUID], /) -> None:
        """Receive what is sent of these runs, and of no others."""
        ...

    async def run(
        self, take: Callable[[UUID, Entries], None], lose: Callable[[Iterable[UUID]], None], /
    ) -> None:
        """Carry until cancelled; `lose` is told of runs whose entries were not sent.

        Raises:
            Unavailable: the carrier is away.
        """
        ...

    async def close(self) -> None:
        """Close every connection; safe to call twice."""
        ...
