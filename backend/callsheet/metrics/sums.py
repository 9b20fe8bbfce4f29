"""Numbers that only grow, by their labels."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal


class Sums:
    """One metric of this process, from 0 at its start. Money is summed exactly.

    Label values are few and known beforehand: each combination stays for good.
    """

    def __init__(self, name: str, meaning: str, labels: tuple[str, ...]) -> None:
        self.name = name
        self.meaning = meaning
        self.labels = labels
        self._values: dict[tuple[str, ...], Decimal | int] = {}

    def add(self, *labels: str, amount: Decimal | int = 1) -> None:
        """Add to the sum of these labels, which are in the order of `labels`."""
        self._values[labels] = self._values.get(labels, 0) + amount

    def value(self, *labels: str) -> Decimal | int:
        """The sum of these labels so far."""
        return self._values.get(labels, 0)

    def __iter__(self) -> Iterator[tuple[tuple[str, ...], Decimal | int]]:
        return iter(self._values.items())
