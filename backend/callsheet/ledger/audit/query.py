"""One audit query."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class AuditQuery:
    """One query. `differences`: each row it returns is a fault; `report`: something to read."""

    number: int
    title: str
    sql: str
    kind: Literal["differences", "report"]
