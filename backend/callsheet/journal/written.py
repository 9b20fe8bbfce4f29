"""What came of a batch: it was stored, or never will be from here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from callsheet.kit.errors import Unavailable
from callsheet.ledger.budget.refusal import Refusal


@dataclass(frozen=True, slots=True)
class Written:
    """`seqs`: the place of each new message, by id. `refusals`: calls without a row, by id."""

    seqs: Mapping[str, int] = field(default_factory=dict)
    refusals: Mapping[str, Refusal] = field(default_factory=dict)


class WriteRefused(Unavailable):
    """The database is there and did not take a run's events: they will not fit another time."""

    def __init__(self) -> None:
        super().__init__("The run's journal could not be written.", service="journal")


class Fenced(Unavailable):
    """The run is another process's now: nothing of it is stored from here, and nothing ends it."""

    def __init__(self) -> None:
        super().__init__("The run goes on in another process.", service="journal")
