"""A run that ends because another one takes its message in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from callsheet.events.entry import Entry
from callsheet.events.union import AnyRunEvent
from callsheet.journal.changes import RunKeys


@dataclass(frozen=True, slots=True)
class EndedBeside:
    """All that is journaled of it, in the commit of the other's `Steered`; then `stored` is called.

    So there is no moment in which the message is in both of them, or in neither.
    """

    keys: RunKeys
    events: tuple[AnyRunEvent, ...]
    stored: Callable[[], object]

    def entries(self, steered: Entry) -> tuple[Entry, ...]:
        """They happen when the message goes into the other run."""
        return tuple(Entry(n, steered.at, event) for n, event in enumerate(self.events, start=1))

    def written(self, steered: Entry) -> Iterator[tuple[RunKeys, Entry]]:
        """What goes into the commit."""
        for entry in self.entries(steered):
            yield self.keys, entry
