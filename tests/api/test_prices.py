"""Prices over HTTP, on a real database: read by all, begun by admins, never edited."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from callsheet.agui.show import ShowOptions
from callsheet.db.transaction import Database
from callsheet.runs.worker_locks import WorkerLock
from callsheet.wiring.price_feed import KNOWN_AFTER
from tests.api.fake import ALICE
from tests.api.priced import NAME, PATH, PRICE, ROOT, Open, opened
from tests.fixtures.booked import book_turns, change

__all__ = ["opened"]


async def test_a_price_that_is_begun_is_used_at_once_and_read_by_all(opened: Open) -> None:
    async with opened() as server:
        made = await server.post(PRICE)
        quote = server.book.quote("qwen", "qwen3.5-flash", datetime.now(UTC))
        listed = (await server.http.get("/v1/prices", headers=ROOT)).json()
        alone = (await server.http.get(PATH, headers=ROOT)).json()
        seen = [(await server.http.get(path)).json() for path in ("/v1/prices", PATH)]
    assert made.status_code == 201
    assert quote.prices[0].output_per_million == Decimal("0.8")
    assert alone == made.json() == {**NAME, "items": listed["items"], "windows": []}
    for page in seen:
        assert [set(listed["items"][0]) - set(shown) for shown in page["items"]] == [{"createdBy"}]
    (row,) = listed["items"]
    row.pop("id"), row.pop("createdAt"), row.pop("validFrom")
    assert row == {
        **PRICE,
        "unit": "token",
        "window": "any",
        "validTo": None,
        "tierMinInputTokens": 0,
        "tierMaxInputTokens": None,
        "explicitCachedPerMillion": None,
        "cacheWritePerMillion": None,
        "reasoningPerMillion": None,
        "perUnit": None,
        "verified": False,
        "createdBy": "root",
    }


async def test_a_model_that_nobody_configured_is_warned_of_and_priced(opened: Open) -> None:
    async with opened() as server:
        misspelt = (await server.post({**PRICE, "modelCode": "qwen3.5-flsh"})).json()
        local = (await server.post({**PRICE, "factory": "local", "modelCode": "smollm2"})).json()
    (warning,) = misspelt["warnings"]
    assert "has a model qwen/qwen3.5-flsh" in warning
    assert warning.endswith("Did you mean qwen/qwen3.5-flash?")
    assert len(misspelt["items"]) == 1
    assert "warnings" not in local


async def test_a_used_price_is_closed_where_the_next_begins(
    opened: Open, database: Database
) -> None:
    booked = await book_turns(database)
    async with opened() as server:
        after = (await server.post(PRICE)).json()["items"]
        listed = (await server.http.get("/v1/prices", headers=ROOT)).json()["items"]
        history = await server.http.get("/v1/prices?history=true", headers=ROOT)
        other = (await server.http.get("/v1/prices?factory=qwen&model=other")).json()
    old, new = after
    assert (old["id"], old["validTo"]) == (str(booked.price_id), new["validFrom"])
    assert (old["inputPerMillion"], new["inputPerMillion"]) == ("0.4", "0.2")
    assert listed == [new]
    assert history.json()["items"] == [old, new]
    assert other == {"items": [], "nextCursor": None}


async def test_only_an_admin_begins_prices_and_nobody_edits_them(opened: Open) -> None:
    async with opened() as server:
        refused = await server.post(PRICE, ALICE)
        put = await server.http.put("/v1/prices", json=PRICE, headers=ROOT)
        nothing = await server.http.get("/v1/prices")
        missing = await server.http.get(PATH)
    assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")
    assert put.status_code == 405
    assert nothing.json() == {"items": [], "nextCursor": None}
    assert (missing.status_code, missing.json()["code"]) == (404, "not_found")


@pytest.mark.parametrize("show", [ShowOptions(costs=False), ShowOptions(models=False)])
async def test_prices_are_admins_alone_where_money_or_models_are_hidden(
    opened: Open, show: ShowOptions
) -> None:
    async with opened(show) as server:
        await server.post(PRICE)
        for path in ("/v1/prices", PATH):
            assert (await server.http.get(path)).status_code == 403
            assert (await server.http.get(path, headers=ROOT)).status_code == 200


async def test_what_was_booked_is_not_priced_again(opened: Open, database: Database) -> None:
    await book_turns(database)
    hour_ago = (datetime.now(UTC) - timedelta(hours=1)).isoformat()
    tomorrow = (datetime.now(UTC) + timedelta(days=1)).isoformat()
    async with opened() as server:
        past = await server.post({**PRICE, "validFrom": hour_ago})
        other = await server.post({**PRICE, "modelCode": "new", "validFrom": hour_ago})
        later = await server.post({**PRICE, "validFrom": tomorrow})
        between = await server.post({**PRICE, "inputPerMillion": "0.3"})
    assert (past.status_code, past.json()["code"]) == (409, "price_used")
    assert other.status_code == later.status_code == between.status_code == 201
    ends = [(row["inputPerMillion"], row["validTo"]) for row in between.json()["items"]]
    announced = later.json()["items"][-1]["validFrom"]
    begun = between.json()["items"][1]["validFrom"]
    assert ends == [("0.4", begun), ("0.3", announced), ("0.2", None)]


async def test_tiers_and_windows_are_begun_and_shown_whole(
    opened: Open, database: Database
) -> None:
    await change(
        database,
        "INSERT INTO price_windows (code, timezone, weekdays, from_time, to_time) "
        "VALUES ('night', 'Asia/Shanghai', ARRAY[1, 2], '00:30', '08:30')",
        {},
    )
    tier = {key: PRICE[key] for key in ("inputPerMillion", "cachedPerMillion", "outputPerMillion")}
    tiers = [{**tier, "upToInputTokens": 32_000}, tier]
    async with opened() as server:
        named = {key: PRICE[key] for key in (*NAME, "currency", "source")}
        made = await server.post({**named, "tiers": tiers})
        windowed = await server.post({**PRICE, "window": "night"})
        other_currency = await server.post({**PRICE, "window": "night", "unit": "token"})
        unknown = await server.post({**PRICE, "window": "nigth"})
    sizes = [(row["tierMinInputTokens"], row["tierMaxInputTokens"]) for row in made.json()["items"]]
    assert sizes == [(0, 32_000), (32_000, None)]
    assert len(windowed.json()["items"]) == 3
    assert windowed.json()["windows"] == [
        {
            "window": "night",
            "timezone": "Asia/Shanghai",
            "weekdays": [1, 2],
            "start": "00:30",
            "end": "08:30",
        }
    ]
    assert len(other_currency.json()["items"]) == 3  # charged already: nothing was changed
    assert (unknown.status_code, unknown.json()["field"]) == (422, "window")


@pytest.mark.parametrize(
    ("asked", "status", "told"),
    [
        ({"currency": "CNY"}, 409, "callsheet prices fx set CNY USD <rate>"),
        ({"inputPerMillion": "-1"}, 422, "inputPerMillion"),
        ({"inputPerMillion": "NaN"}, 422, "inputPerMillion"),
        ({"inputPerMillion": "a"}, 422, "inputPerMillion: expected a number, found 'a'."),
        ({"inputPerMillion": "1.123456789"}, 422, "inputPerMillion"),
        ({"inputPerMillion": 0.2}, 422, "inputPerMillion"),
        ({"cachedPerMillion": None}, 422, "the key 'cachedPerMillion' is missing"),
        ({"unit": "second", "perUnit": "1"}, 422, "a price per second has no prices of tokens"),
        ({"validFrom": "2027-01-01T00:00:00"}, 422, "validFrom"),
        ({"modelCode": "x" * 51}, 422, "modelCode"),
        ({"surprise": 1}, 422, "surprise"),
        ({"tiers": [{"inputPerMillion": "1"}]}, 422, "cachedPerMillion"),
    ],
)
async def test_a_wrong_price_is_refused_with_the_field(
    opened: Open, asked: dict[str, Any], status: int, told: str
) -> None:
    async with opened() as server:
        refused = await server.post({**PRICE, **asked})
        assert (await server.http.get("/v1/prices?history=true")).json()["items"] == []
    assert refused.status_code == status
    assert told in refused.text


async def test_a_price_stands_beside_windows_of_its_own_currency(
    opened: Open, database: Database
) -> None:
    for statement in (
        "INSERT INTO price_windows (code, timezone, weekdays, from_time, to_time) "
        "VALUES ('night', 'UTC', ARRAY[1], '00:30', '08:30')",
        "INSERT INTO fx_rates (base, quote, rate, valid_from, source) "
        "VALUES ('CNY', 'USD', 0.14, '2026-01-01', 'b')",
    ):
        await change(database, statement, {})
    async with opened() as server:
        await server.post({**PRICE, "window": "night"})
        mixed = await server.post({**PRICE, "currency": "CNY"})
    assert (mixed.status_code, mixed.json()["code"]) == (409, "price_mixed")


async def test_with_other_processes_a_price_begins_when_they_know_it(
    opened: Open, database: Database
) -> None:
    async with opened() as server, WorkerLock(database, "own"), WorkerLock(database, "other"):
        asked_at = datetime.now(UTC)
        (row,) = (await server.post(PRICE)).json()["items"]
    begins = datetime.fromisoformat(row["validFrom"])
    assert asked_at + KNOWN_AFTER <= begins <= datetime.now(UTC) + KNOWN_AFTER


async def test_prices_come_in_pages(opened: Open) -> None:
    async with opened() as server:
        for code in ("a", "b", "c"):
            await server.post({**PRICE, "modelCode": code, "validFrom": "2026-01-01T00:00:00Z"})
        first = (await server.http.get("/v1/prices?limit=2")).json()
        after = f"/v1/prices?limit=2&cursor={first['nextCursor']}"
        second = (await server.http.get(after)).json()
        wrong = await server.http.get("/v1/prices?cursor=eA")
        maybe = await server.http.get("/v1/prices?history=yes")
        misspelt = await server.http.get("/v1/prices?modle=a")
    found = [[row["modelCode"] for row in page["items"]] for page in (first, second)]
    assert (found, second["nextCursor"]) == ([["a", "b"], ["c"]], None)
    assert (wrong.status_code, wrong.json()["field"]) == (422, "cursor")
    assert (maybe.status_code, maybe.json()["field"]) == (422, "history")
    assert (misspelt.status_code, misspelt.json()["field"]) == (422, "modle")
