"""Reports and exports over HTTP, on a real ledger: one's own alone, but for admins."""

from __future__ import annotations

import csv
import io
import json
from datetime import UTC, datetime
from decimal import Decimal

import pytest

from callsheet.db.transaction import Database
from tests.api.fake import BOB
from tests.api.usage_server import NOVEMBER, ROOT, Open, get, opened, refused
from tests.ledger.report.calls import add_call, add_estimated, add_run, add_unpriced, run

__all__ = ["opened"]


async def test_a_report_is_of_ones_own_calls(database: Database, opened: Open) -> None:
    of = await add_run(database, "alice")
    await add_call(database, "alice", of=of, stage="intent")
    await add_estimated(database, "alice", cost_exact=Decimal("0.0005"))
    await add_unpriced(database, "alice")
    await add_call(database, "bob")
    async with opened() as alice:
        report = await get(alice, "report", **NOVEMBER, by="day,stage")
        total = await get(alice, "report", **NOVEMBER)
        of_session = await get(alice, "report", **NOVEMBER, session=str(of[0]))
    assert report["period"] == {
        "first": "2026-11-01", "last": "2026-11-30", "zone": "Asia/Shanghai",
    }  # fmt: skip
    assert [(item["day"], item["stage"], item["cost"]) for item in report["items"]] == [
        ("2026-11-30", "intent", "0.002"),
        ("2026-11-30", None, "0.0005"),
    ]
    assert "model" not in report["items"][0]
    (sums,) = report["totals"]
    assert sums == total["items"][0]
    assert (sums["cost"], sums["estimatedCost"], sums["currency"]) == ("0.0025", "0.0005", "USD")
    assert (sums["unpricedCalls"], sums["unpricedTokens"]) == (1, 1500)
    assert of_session["totals"][0]["cost"] == "0.002"


async def test_days_are_those_of_the_zone_that_is_asked_for(
    database: Database, opened: Open
) -> None:
    await add_call(database, "alice", started_at=datetime(2026, 11, 30, 16, tzinfo=UTC))
    day = {"from": "2026-11-30", "to": "2026-11-30"}
    async with opened() as alice:
        assert (await get(alice, "report", **day))["totals"] == []
        assert len((await get(alice, "report", **day, zone="UTC"))["totals"]) == 1


async def test_others_are_not_there_but_for_admins(database: Database, opened: Open) -> None:
    of = await add_run(database, "bob")
    await add_call(database, "bob", of=of)
    await add_call(database, "alice")
    async with opened() as alice:
        assert (await get(alice, "report", **NOVEMBER, user="alice"))["totals"][0]["calls"] == 1
        for path in ("report", "export"):
            assert await refused(alice, path, **NOVEMBER, user="bob") == (404, None)
            assert await refused(alice, path, **NOVEMBER, user="nobody") == (404, None)
            assert await refused(alice, path, **NOVEMBER, session=str(of[0])) == (404, None)
            assert (await refused(alice, path, **NOVEMBER, all="true"))[0] == 403
    async with opened(ROOT) as root:
        assert (await get(root, "report", **NOVEMBER, user="bob"))["totals"][0]["calls"] == 1
        everybody = await get(root, "report", **NOVEMBER, all="true", by="user")
        assert [item["user"] for item in everybody["items"]] == ["alice", "bob"]
        of_bob = await get(root, "report", **NOVEMBER, all="true", session=str(of[0]))
        assert of_bob["totals"][0]["calls"] == 1
        assert await refused(root, "report", **NOVEMBER, user="nobody") == (404, None)
        assert (await get(root, "report", **NOVEMBER))["totals"] == []


async def test_an_export_has_every_call_as_csv_or_json_lines(
    database: Database, opened: Open
) -> None:
    await add_call(database, "alice")
    await run(
        database,
        "INSERT INTO llm_calls (idempotency_key, user_id, purpose, factory, model_code, price_id, "
        "status, usage_source, raw_usage, price_currency, currency, started_at, settled_at) "
        "SELECT 'n' || n, user_id, purpose, factory, model_code, price_id, status, usage_source, "
        "raw_usage, price_currency, currency, started_at, settled_at "
        "FROM llm_calls, generate_series(1, 2500) n",
    )
    await add_call(database, "bob")
    async with opened() as alice:
        answer = await alice.get("/v1/usage/export", params=NOVEMBER)
        lines = await alice.get("/v1/usage/export", params={**NOVEMBER, "format": "jsonl"})
        empty = await alice.get("/v1/usage/export", params={"month": "2026-01"})
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    assert answer.headers["content-disposition"] == (
        'attachment; filename="calls-2026-11-01-2026-11-30.csv"'
    )
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert (len(rows), len({row["id"] for row in rows})) == (2501, 2501)
    assert {row["user"] for row in rows} == {"alice"}
    records = [json.loads(line) for line in lines.text.splitlines()]
    assert [record["id"] for record in records] == [row["id"] for row in rows]
    assert sorted({record["cost"] for record in records}) == ["0", "0.002"]
    assert len(empty.text.splitlines()) == 1


@pytest.mark.parametrize(
    ("params", "field"),
    [
        ({"month": "November"}, "month"),
        ({"from": "2026-02-30"}, "from"),
        ({"from": "2025-11-01", "to": "2026-11-30"}, "to"),
        ({"zone": "Mars"}, "zone"),
        ({"by": "colour"}, "by"),
        ({"all": "yes"}, "all"),
        ({"mouth": "2026-11"}, "mouth"),
        ({"model": ""}, "model"),
        ({"user": "u" * 201}, "user"),
        ({"user": "alice", "all": "true"}, "all"),
    ],
)
async def test_a_wrong_parameter_is_named(opened: Open, params: dict[str, str], field: str) -> None:
    async with opened() as alice:
        assert await refused(alice, "report", **params) == (422, field)


async def test_a_parameter_may_not_stand_twice(opened: Open) -> None:
    async with opened() as alice:
        answer = await alice.get("/v1/usage/report?month=2026-11&month=2026-10")
        assert (answer.status_code, answer.json()["field"]) == (422, "month")
        assert await refused(alice, "export", format="xlsx") == (422, "format")


async def test_bob_sees_nothing_of_alice(database: Database, opened: Open) -> None:
    await add_call(database, "alice")
    async with opened(BOB) as bob:
        assert (await get(bob, "recent"))["items"] == []
        assert (await get(bob, "report", **NOVEMBER))["totals"] == []
