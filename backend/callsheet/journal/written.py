"""What came of a batch that was stored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from callsheet.ledger.budget.refusal import Refusal


@dataclass(frozen=True, slots=True)
class Written:
    """`seqs`: the place of each new message, by id. `refusals`: calls without a row, by id."""

    seqs: Mapping[str, int] = field(default_factory=dict)
    refusals: Mapping[str, Refusal] = field(default_factory=dict)
