"""One accounting currency for all that was ever stored."""

from __future__ import annotations

from sqlalchemy import text

from callsheet.db.transaction import Database
from callsheet.kit.errors import SetupError

_OTHERS = text("SELECT currency FROM messages WHERE currency <> :currency LIMIT 1")


async def check_currency(database: Database, currency: str) -> None:
    """Raise SetupError where messages are booked in another currency: sums would mean nothing."""
    async with database.read() as tx:
        other = (await tx.execute(_OTHERS, {"currency": currency})).scalar()
    if other is not None:
        raise SetupError(
            f"Messages are booked in {other}, the accounting currency is set to {currency}. "
            f"Set CALLSHEET_CURRENCY={other}, or start with an empty database."
        )
