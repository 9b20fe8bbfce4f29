"""A session whose totals could not hold another turn begins none."""

from __future__ import annotations

import pytest
from sqlalchemy import text

from callsheet.db.transaction import Database
from callsheet.kit.errors import Conflict
from callsheet.kit.ids import new_id
from tests.admission.test_gate import end
from tests.journal.stage import gate, remember, wish


@pytest.mark.parametrize(
    ("total", "is_full"),
    [
        ("total_tokens = 2000000000", True),
        ("total_tokens = 1999999999", False),
        ("total_cost = 900000", True),
        ("total_cost = 899999.999999", False),
    ],
)
async def test_a_session_that_could_not_book_another_turn_begins_none(
    database: Database, total: str, *, is_full: bool
) -> None:
    await remember(database)
    first = wish(new_id())
    await gate(database).admit(first)
    await end(database, first.run_id)
    async with database.transaction() as tx:
        await tx.execute(text(f"UPDATE sessions SET {total}"))
    second = wish(first.session_id)
    if not is_full:
        assert (await gate(database).admit(second)).is_new
        return
    with pytest.raises(Conflict) as full:
        await gate(database).admit(second)
    assert full.value.error_code == "session_full"
    assert not (await gate(database).admit(first)).is_new
