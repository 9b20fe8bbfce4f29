"""The audit page holds the product's queries, each with what it is for."""

from __future__ import annotations

import re

import pytest

from callsheet.db.transaction import Database
from callsheet.ledger.audit.audit import QUERIES
from callsheet.ledger.audit.query import AuditQuery
from tests.docs.pages import blocks, text_of
from tests.fixtures.booked import book_turns, change

PAGE = text_of("docs/cost-audit.md")
SQL = blocks(PAGE, "sql")
COLUMNS = {
    1: "session_id seq cost ledger_cost",
    2: "session_id total_cost messages_cost",
    3: "call_id factory model_code cost_exact repriced",
    4: "day factory model_code currency calls",
    5: "factory model_code status usage_source usage_method calls cost reserved",
}


async def rows(database: Database, number: int) -> list[dict[str, object]]:
    async with database.read() as connection:
        found = await connection.exec_driver_sql(SQL[number - 1])
        return [dict(row) for row in found.mappings()]


def test_the_page_shows_the_queries_that_the_command_runs() -> None:
    assert [query.sql for query in QUERIES] == SQL


def test_every_query_has_a_heading_and_says_what_it_is_for() -> None:
    numbered = re.findall(r"^## (\d+)\. \S", PAGE, re.MULTILINE)
    assert [int(number) for number in numbered] == [query.number for query in QUERIES]
    sections = re.split(r"^## \d+\. .+$", PAGE, flags=re.MULTILINE)[1:]
    for query, section in zip(QUERIES, sections, strict=True):
        before = section.split("```")[0]
        assert ("Returns nothing." in before) == (query.kind == "differences"), query.number


@pytest.mark.parametrize("readme", ["README.md", "README.zh-CN.md"])
def test_the_readme_shows_what_the_command_prints(readme: str) -> None:
    printed = re.findall(r"^\d+\. .+: no difference$", text_of(readme), re.MULTILINE)
    checks = [query for query in QUERIES if query.kind == "differences"]
    assert printed == [f"{query.number}. {query.title}: no difference" for query in checks]


@pytest.mark.parametrize("query", QUERIES, ids=lambda query: query.title)
async def test_each_query_runs_as_it_stands_on_the_page(
    database: Database, query: AuditQuery
) -> None:
    number = query.number
    await book_turns(database, turns=3)
    found = await rows(database, number)
    assert query.kind == "report" or found == []


@pytest.mark.parametrize(
    ("number", "fault"),
    [
        (1, "UPDATE messages SET cost = cost * 2 WHERE role = 'assistant'"),
        (2, "UPDATE sessions SET total_tokens = total_tokens + 1"),
        (3, "UPDATE llm_calls SET cost_exact = cost_exact * 2"),
    ],
)
async def test_a_fault_gives_rows_with_both_numbers(
    database: Database, number: int, fault: str
) -> None:
    await book_turns(database)
    await change(database, fault, {})
    found = await rows(database, number)
    assert found
    assert list(found[0])[: len(COLUMNS[number].split())] == COLUMNS[number].split()


async def test_spend_by_day_adds_up(database: Database) -> None:
    await book_turns(database, turns=2)
    [row] = await rows(database, 4)
    assert list(row)[:5] == COLUMNS[4].split()
    assert (row["calls"], row["input_tokens"], str(row["cost"])) == (2, 2000, "0.001600")


async def test_estimated_calls_are_listed_and_reported_ones_are_not(database: Database) -> None:
    booked = await book_turns(database, turns=2)
    assert await rows(database, 5) == []
    await change(
        database,
        "UPDATE llm_calls SET usage_source = 'estimated', usage_method = 'heard' WHERE id = :id",
        {"id": booked.call_id},
    )
    [row] = await rows(database, 5)
    assert list(row)[:8] == COLUMNS[5].split()
    assert (row["usage_source"], row["usage_method"], row["calls"]) == ("estimated", "heard", 1)
