"""`audit` is an exit status that a cron job can use."""

from __future__ import annotations

import json

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
    assert ran.out.count("no difference") == 9


def test_a_difference_is_status_1_and_shown(deployed: Callsheet, database_url: str) -> None:
    run_apart(book(database_url, "UPDATE sessions SET total_cost = 9"))
    ran = deployed("audit")
    assert ran.status == 1
    assert "2. Each session against its messages: 1 differ" in ran.out
    assert "9.000000" in ran.out


def test_reports_come_after_the_differences(deployed: Callsheet, database_url: str) -> None:
    run_apart(book(database_url))
    ran = deployed("audit", "--reports")
    assert ran.status == 0
    assert ran.out.index("13. More than one") < ran.out.index("4. Spend by day, factory and model")
    assert "0.001600" in ran.out
    assert "(none)" in ran.out.split("18. What was refused")[1]


def test_json_has_every_difference_with_its_money_as_text(
    deployed: Callsheet, database_url: str
) -> None:
    run_apart(book(database_url, "UPDATE sessions SET total_cost = 9"))
    ran = deployed("audit", "--json")
    assert ran.status == 1
    told = json.loads(ran.out)
    assert told["differences"] == 1
    assert {query["kind"] for query in told["queries"]} == {"differences"}
    [found] = [query for query in told["queries"] if query["rows"]]
    row = dict(zip(found["columns"], found["rows"][0], strict=True))
    assert (found["number"], row["total_cost"], row["messages_cost"]) == (2, "9.000000", "0.001600")


def test_json_with_reports_is_one_value_too(deployed: Callsheet, database_url: str) -> None:
    run_apart(book(database_url))
    ran = deployed("audit", "--json", "--reports")
    assert ran.status == 0
    told = json.loads(ran.out)
    assert (told["differences"], len(told["queries"])) == (0, 22)
    assert "0E-" not in ran.out
