"""The dictionary of the money has every column, and none that is not there."""

from __future__ import annotations

import re
from typing import Final

from callsheet.db.transaction import Database
from tests.docs.pages import text_of

PAGE: Final = text_of("docs/cost-data.md")
WHOLE: Final = {
    "llm_calls",
    "llm_prices",
    "price_windows",
    "fx_rates",
    "budget_counters",
    "cost_adjustments",
    "usage_refusals",
}
PARTLY: Final = {"messages", "sessions", "session_settings"}


def documented() -> dict[str, list[str]]:
    """Table or view -> its columns, as the page has them."""
    sections = re.split(r"^### `(\w+)`.*$", PAGE, flags=re.MULTILINE)[1:]
    return {
        name: re.findall(r"^\| `(\w+)` \| [^|]+ \| [^|]+ \|$", body, re.MULTILINE)
        for name, body in zip(sections[::2], sections[1::2], strict=True)
    }


async def columns(database: Database, where: str = "true") -> dict[str, list[str]]:
    async with database.read() as tx:
        found = await tx.exec_driver_sql(
            "SELECT table_name, column_name FROM information_schema.columns "
            f"WHERE table_schema = 'public' AND {where} ORDER BY table_name, ordinal_position"
        )
        result: dict[str, list[str]] = {}
        for row in found.mappings():
            result.setdefault(row["table_name"], []).append(row["column_name"])
        return result


async def test_the_page_has_every_view_and_its_columns_in_their_order(database: Database) -> None:
    real = await columns(database)
    views = {name: found for name, found in real.items() if name.startswith("v_")}
    assert len(views) >= 14
    page = documented()
    assert {name: found for name, found in page.items() if name.startswith("v_")} == views


async def test_the_page_has_every_column_of_the_tables_of_money(database: Database) -> None:
    real, page = await columns(database), documented()
    assert {name for name in page if not name.startswith("v_")} == WHOLE | PARTLY
    for name in WHOLE:
        assert sorted(page[name]) == sorted(real[name]), name
    for name in PARTLY:
        assert set(page[name]) <= set(real[name]), name


async def test_no_amount_of_money_is_missing_and_none_is_a_float(database: Database) -> None:
    page = documented()
    amounts = await columns(database, "data_type = 'numeric'")
    for name, found in amounts.items():
        assert set(found) <= set(page[name]), name
    assert await columns(database, "data_type IN ('real', 'double precision', 'money')") == {}
