"""The states of a thing and the changes between them that are allowed, as one small table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Generic, TypeVar

S = TypeVar("S", bound=str)


class StateTable(Generic[S]):
    """From each state those that may follow; the first state is the one that a thing begins in.

    A state that is not followed by itself may still be written again: that changes nothing.
    """

    def __init__(self, changes: Mapping[S, tuple[S, ...]]) -> None:
        self._changes = dict(changes)

    @property
    def states(self) -> tuple[S, ...]:
        """All states, in the order of the table."""
        return tuple(self._changes)

    def after(self, state: S) -> tuple[S, ...]:
        """The states that may follow; none where it is an end."""
        return self._changes[state]

    def before(self, state: S) -> tuple[S, ...]:
        """The states that it may follow."""
        return tuple(one for one, others in self._changes.items() if state in others)

    def allows(self, before: S, after: S) -> bool:
        """Whether the change may be made."""
        return after in self._changes[before]

    def __iter__(self) -> Iterator[tuple[S, S]]:
        """Every allowed change."""
        return ((one, other) for one, others in self._changes.items() for other in others)
