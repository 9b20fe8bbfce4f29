"""What a session can hold: its totals are columns with an end."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from callsheet.kit.errors import Conflict

MOST_TOKENS: Final = 2_000_000_000
MOST_COST: Final = Decimal(900_000)
"""No turn begins from here on: what is left below the columns' own ends (2,147,483,647 tokens and
999,999.999999 of the accounting currency) is more than one turn uses."""


def refuse_if_full(total_tokens: int, total_cost: Decimal) -> None:
    """Raises Conflict where the session could not book another turn."""
    if total_tokens >= MOST_TOKENS or total_cost >= MOST_COST:
        raise Conflict(
            "The session has used as much as one session can hold. Begin another one.",
            code="session_full",
        )
