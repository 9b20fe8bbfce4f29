"""`audit` is an exit status that a cron job can use."""

from __future__ import annotations

from callsheet.db.options import DatabaseOptions
from callsheet.db.transaction import Database
from tests.cli.conftest import Callsheet
from tests.fixtures.booked import book_turns, change
from tests.fixtures.database import run_apart


async def book(url: str, fault: str | None = None) -> None:
    database = Database.from_options(DatabaseOptions(url), pooled=False)
    await book_turns(database)
    if fault:
        await change(database, fault, {})
    await database.close()


def test_a_sound_database_is_status_0(deployed: Callsheet, database_url: str) -> None:
    run_apart(book(database_url))
    ran = deployed("audit")
    assert ran.status == 0
    assert ran.out.count("no difference") == 4


def test_a_difference_is_status_1_and_shown(deployed: Callsheet, database_url: str) -> None:
    run_apart(book(database_url, "UPDATE sessions SET total_cost = 9"))
    ran = deployed("audit")
    assert ran.status == 1
    assert "2. Each session against its messages: 1 differ" in ran.out
    assert "9.000000" in ran.out
