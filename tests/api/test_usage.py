"""What the caller has spent, over HTTP, on a real ledger."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import httpx
import pytest

from callsheet.agui.show import ShowOptions
from callsheet.auth.principal import user_id_of
from callsheet.db.transaction import Database
from callsheet.ledger.budget.limits import Limits
from callsheet.main import create_app
from tests.api.fake import OPTIONS, World
from tests.api.usage_server import NOVEMBER, ROOT, Open, get, opened, refused
from tests.ledger.report.calls import NOON, add_call, add_open, run

__all__ = ["opened"]


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
        assert await refused(alice, "recent", user="bob") == (422, "user")
        assert await refused(alice, "today", zone="UTC") == (422, "zone")
    assert len(first["items"]) == 3
    assert len({call["id"] for call in first["items"] + rest["items"]}) == 4
    assert rest["nextCursor"] is None
    newest, settled = first["items"][:2]
    assert (newest["status"], newest["cost"], newest["reservedCost"]) == ("open", None, "0.5")
    assert (settled["cost"], settled["provider"], settled["estimated"]) == ("0.002", "f", False)


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


@pytest.mark.parametrize("path", ["today", "recent", "report", "export"])
async def test_usage_needs_a_key(opened: Open, path: str) -> None:
    async with opened({"Authorization": "Bearer nobody-at-all"}) as stranger:
        assert (await stranger.get(f"/v1/usage/{path}")).status_code == 401


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
