"""What a report is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, get_args
from uuid import UUID

from callsheet.kit.errors import BadInput
from callsheet.kit.yaml_words import closest
from callsheet.ledger.report.period import THIS_MONTH, Period, PeriodWords

Dimension = Literal[
    "day", "model", "user", "stage", "agent", "tool", "purpose", "session", "workflow"
]
DIMENSIONS: Final[tuple[Dimension, ...]] = get_args(Dimension)
LONGEST_NAME: Final = 200


@dataclass(frozen=True, slots=True)
class Filters:
    """Which calls count; None: all of them."""

    user_id: UUID | None = None
    model: str | None = None
    factory: str | None = None
    session_id: UUID | None = None


@dataclass(frozen=True, slots=True)
class Ask:
    """The sums over the calls that started in `period`, one row for each group of `by`."""

    period: Period
    by: tuple[Dimension, ...] = ()
    filters: Filters = Filters()


@dataclass(frozen=True, slots=True)
class Question:
    """A caller's words: of whom, of when, by what.

    `user` None: the caller's own calls, unless `everybody`. `zone` None: the deployment's.
    """

    words: PeriodWords = THIS_MONTH
    zone: str | None = None
    by: tuple[Dimension, ...] = ()
    user: str | None = None
    everybody: bool = False
    model: str | None = None
    factory: str | None = None
    session_id: UUID | None = None


def read_dimensions(written: Sequence[str]) -> tuple[Dimension, ...]:
    """The dimensions that `day,model` and the like name, each once, in their order.

    Raises:
        BadInput: one of them is unknown (field `by`).
    """
    found: list[Dimension] = []
    for name in (part.strip() for each in written for part in each.split(",")):
        known = next((one for one in DIMENSIONS if one == name), None)
        if known is None:
            near = closest(name[:LONGEST_NAME], DIMENSIONS)
            hint = f" Did you mean {near!r}?" if near else ""
            raise BadInput(
                f"A report is grouped by {', '.join(DIMENSIONS)}; {name[:40]!r} is none of them."
                f"{hint}",
                field="by",
            )
        if known not in found:
            found.append(known)
    return tuple(found)
