"""A provider's bill, read."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal


@dataclass(frozen=True, slots=True)
class Tokens:
    """Tokens as a bill or the ledger counts them; None where a bill does not say."""

    input: int | None = None
    cached: int | None = None
    output: int | None = None

    def plus(self, other: Tokens) -> Tokens:
        """The sum; what neither says stays unknown."""
        return Tokens(
            _plus(self.input, other.input),
            _plus(self.cached, other.cached),
            _plus(self.output, other.output),
        )


NOT_SAID = Tokens()


@dataclass(frozen=True, slots=True)
class BillLine:
    """One line: what was charged for a model on a day. `model` is ours; None: the bill has none.

    `amount` is in `currency`; a credit is negative.
    """

    line: int
    day: date
    model: str | None
    amount: Decimal
    currency: str
    request_id: str | None = None
    tokens: Tokens = NOT_SAID


@dataclass(frozen=True, slots=True)
class Bill:
    """The lines of a file. `digest` (SHA-256) tells two files apart whatever they are called."""

    name: str
    digest: str
    lines: tuple[BillLine, ...]

    @property
    def first(self) -> date:
        """Its first day."""
        return min(line.day for line in self.lines)

    @property
    def last(self) -> date:
        """Its last day."""
        return max(line.day for line in self.lines)


def _plus(mine: int | None, its: int | None) -> int | None:
    if mine is None:
        return its
    return mine if its is None else mine + its
