"""Usage over HTTP, on a real ledger: one's own alone, but for admins."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any, Final
from zoneinfo import ZoneInfo

import httpx
import pytest

from callsheet.agui.show import ShowOptions
from callsheet.auth.api_keys import ApiKeys
from callsheet.auth.bearer import Bearer
from callsheet.auth.principal import user_id_of
from callsheet.db.transaction import Database
from callsheet.ledger.budget.limits import Limits
from callsheet.ledger.budget.quotas import QuotaRules, Quotas
from callsheet.main import create_app
from callsheet.wiring.usage import UsageService
from tests.api.fake import ALICE, BOB, OPTIONS, World
from tests.fakes.clock import HandClock
from tests.ledger.report.calls import (
    NOON,
    add_call,
    add_estimated,
    add_open,
    add_run,
    add_unpriced,
    run,
)

ROOT: Final = {"Authorization": "Bearer sk-root-1"}
NOVEMBER: Final = {"month": "2026-11"}
LIMITS: Final = Limits({"user_day": {"cost": Decimal(2), "calls": Decimal(5)}})

Open = Callable[..., AbstractAsyncContextManager[httpx.AsyncClient]]


@pytest.fixture
def opened(database: Database) -> Open:
    """Opens a client of a server whose usage is the database's; root is an admin."""

    @asynccontextmanager
    async def opened(
        headers: dict[str, str] = ALICE, show: ShowOptions | None = None, limits: Limits = LIMITS
    ) -> AsyncIterator[httpx.AsyncClient]:
        world = World()
        quotas = Quotas(QuotaRules(ZoneInfo("Asia/Shanghai"), limits))
        world.usage = UsageService(lambda: database, quotas, HandClock(NOON), "USD")
        names = ["alice:sk-alice", "bob:sk-bob-2", "root:sk-root-1"]
        services = replace(world.services(), identities=Bearer([ApiKeys(names, ["root"])]))
        options = OPTIONS if show is None else replace(OPTIONS, show=show)
        transport = httpx.ASGITransport(create_app(services, options))
        async with httpx.AsyncClient(
            transport=transport, base_url="http://callsheet.example", headers=headers
        ) as client:
            yield client

    return opened


async def get(client: httpx.AsyncClient, path: str, **params: str) -> Any:
    answer = await client.get(f"/v1/usage/{path}", params=params)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def refused(client: httpx.AsyncClient, path: str, **params: str) -> tuple[int, Any]:
    answer = await client.get(f"/v1/usage/{path}", params=params)
    return answer.status_code, answer.json().get("field")


async def test_today_is_what_the_counters_say_and_what_is_left(
    database: Database, opened: Open
) -> None:
    day, month = datetime(2026, 11, 29, 16, tzinfo=UTC), datetime(2026, 10, 31, 16, tzinfo=UTC)
    for name, period, start, cost in (
        ("alice", "day", day, "0.25"),
        ("alice", "month", month, "7"),
        ("alice", "day", day - timedelta(days=1), "99"),
        ("bob", "day", day, "55"),
    ):
        await run(
            database,
            "INSERT INTO budget_counters (scope, scope_id, period, period_start, calls, tokens, "
            "cost, reserved_tokens, reserved_cost) "
            "VALUES ('user', :id, :period, :start, 6, 1500, :cost, 10, 0.5)",
            id=str(user_id_of(name)),
            period=period,
            start=start,
            cost=Decimal(cost),
        )
    async with opened() as alice:
        today = await get(alice, "today")
    assert today["day"] == {
        "start": "2026-11-29T16:00:00Z",
        "end": "2026-11-30T16:00:00Z",
        "calls": 6,
        "tokens": 1500,
        "reservedTokens": 10,
        "cost": "0.25",
        "reservedCost": "0.5",
    }
    assert (today["month"]["cost"], today["month"]["start"]) == ("7", "2026-10-31T16:00:00Z")
    assert (today["zone"], today["currency"]) == ("Asia/Shanghai", "USD")
    assert today["limits"] == [
        {"scope": "user_day", "measure": "cost", "limit": "2", "used": "0.25", "reserved": "0.5",
         "left": "1.25", "resetsAt": "2026-11-30T16:00:00Z"},
        {"scope": "user_day", "measure": "calls", "limit": "5", "used": "6", "reserved": "0",
         "left": "0", "resetsAt": "2026-11-30T16:00:00Z"},
    ]  # fmt: skip


async def test_a_user_without_calls_has_spent_nothing(opened: Open) -> None:
    async with opened(limits=Limits()) as alice:
        today = await get(alice, "today")
    assert (today["day"]["calls"], today["day"]["cost"], today["limits"]) == (0, "0", [])


async def test_recent_calls_are_ones_own_in_pages(database: Database, opened: Open) -> None:
    for minute in range(3):
        await add_call(database, "alice", started_at=NOON + timedelta(minutes=minute))
    await add_open(database, "alice", started_at=NOON + timedelta(minutes=3))
    await add_call(database, "bob")
    async with opened() as alice:
        first = await get(alice, "recent", limit="3")
        rest = await get(alice, "recent", limit="3", cursor=first["nextCursor"])
        assert await refused(alice, "recent", cursor="made up") == (422, "cursor")
    assert len(first["items"]) == 3
    assert len({call["id"] for call in first["items"] + rest["items"]}) == 4
    assert rest["nextCursor"] is None
    newest, settled = first["items"][:2]
    assert (newest["status"], newest["cost"], newest["reservedCost"]) == ("open", None, "0.5")
    assert (settled["cost"], settled["provider"], settled["estimated"]) == ("0.002", "f", False)


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


async def test_what_the_deployment_hides_is_left_out_but_for_admins(
    database: Database, opened: Open
) -> None:
    await add_call(database, "alice")
    await add_call(database, "root")
    hidden = ShowOptions(costs=False, models=False)
    async with opened(show=hidden) as alice:
        (call,) = (await get(alice, "recent"))["items"]
        report = await get(alice, "report", **NOVEMBER, by="purpose")
        today = await get(alice, "today")
        head = (await alice.get("/v1/usage/export", params=NOVEMBER)).text.splitlines()[0]
        for params in ({"by": "model"}, {"model": "m"}, {"factory": "f"}):
            assert (await refused(alice, "report", **NOVEMBER, **params))[0] == 403
    assert not {"cost", "currency", "model", "provider"} & {*call, *report["items"][0]}
    assert not {"cost", "estimatedCost", "reservedCost"} & {*report["totals"][0], *today["day"]}
    assert [limit["measure"] for limit in today["limits"]] == ["calls"]
    assert not {"cost", "fx_rate", "model", "factory", "upstream_id"} & {*head.split(",")}
    async with opened(ROOT, show=hidden) as root:
        (item,) = (await get(root, "report", **NOVEMBER, by="model"))["items"]
        assert (item["model"], item["cost"]) == ("m", "0.002")


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


@pytest.mark.parametrize("path", ["today", "recent", "report", "export"])
async def test_usage_needs_a_key(opened: Open, path: str) -> None:
    async with opened({"Authorization": "Bearer nobody-at-all"}) as stranger:
        assert (await stranger.get(f"/v1/usage/{path}")).status_code == 401


async def test_bob_sees_nothing_of_alice(database: Database, opened: Open) -> None:
    await add_call(database, "alice")
    async with opened(BOB) as bob:
        assert (await get(bob, "recent"))["items"] == []
        assert (await get(bob, "report", **NOVEMBER))["totals"] == []


async def test_billing_says_which_model_cannot_be_billed() -> None:
    world = World()
    transport = httpx.ASGITransport(create_app(world.services(), OPTIONS))
    async with httpx.AsyncClient(transport=transport, base_url="http://callsheet.example") as http:
        good = await http.get("/health/billing")
        assert (good.status_code, good.json()["status"]) == (200, "complete")
        world.health.verified = False
        bad = await http.get("/health/billing")
    assert (bad.status_code, bad.json()["status"]) == (503, "incomplete")
    assert bad.json()["models"][0]["verified"] is False
