"""What seeding did, for the log and for `callsheet check`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["factory", "model", "price", "window", "rate"]
Action = Literal["added", "changed", "closed", "dropped", "kept"]


@dataclass(frozen=True, slots=True)
class Change:
    """One row that was touched; `detail` is for people."""

    kind: Kind
    name: str
    action: Action
    detail: str = ""

    def __str__(self) -> str:
        text = f"{self.kind} {self.name}: {self.action}"
        return f"{text} ({self.detail})" if self.detail else text


@dataclass(frozen=True, slots=True)
class SeedReport:
    """Every change, in the order in which it was made; none when the tables agreed already.

    `left_deleted` names factories and models that the file has and somebody deleted.
    """

    changes: tuple[Change, ...] = ()
    left_deleted: tuple[str, ...] = ()
