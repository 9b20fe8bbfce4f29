"""Limits of users: set in one process, known in all."""

from __future__ import annotations

import asyncio
from decimal import Decimal
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
import structlog

from callsheet.auth.principal import ADMIN, principal_named
from callsheet.auth.store import remember_user
from callsheet.db.transaction import Database
from callsheet.kit.errors import ConfigError, Forbidden, NotFound
from callsheet.ledger.budget.quotas import QuotaRules, Quotas
from callsheet.runs.worker_locks import WorkerLock
from callsheet.wiring.allowances import make_allowances
from callsheet.wiring.quota import QuotaService
from callsheet.wiring.quota_feed import QuotaFeed
from tests.fakes.clock import HandClock
from tests.ledger.budget.spending import NOW, quotas_of, some, spender, spot
from tests.sessions.rows import change, rows

ADA, BOSS = principal_named("ada"), principal_named("boss", frozenset({ADMIN}))


class Process:
    """One process's limits, and what keeps them."""

    def __init__(self, database: Database, every_s: float = 0.01) -> None:
        self.quotas = Quotas(QuotaRules(ZoneInfo("UTC")))
        self.feed = QuotaFeed(database, self.quotas, HandClock(NOW), every_s)
        self.service = QuotaService(lambda: database, lambda: self.feed, self.quotas, "USD")

    @property
    def calls(self) -> list[Decimal]:
        """The limit of calls of ada's runs; empty where there is none."""
        return list(self.quotas.limits_of(ADA.user_id).of("run").values())


@pytest.fixture
async def users(database: Database) -> None:
    async with database.transaction() as tx:
        await remember_user(tx, ADA)
        await remember_user(tx, BOSS)


async def test_who_sets_a_limit_knows_it_at_once_and_others_when_they_look(
    database: Database, users: None
) -> None:
    here, there = Process(database), Process(database)
    await there.feed.begin()
    quota = await here.service.set(BOSS, "ada", {"run": some(calls=5)})
    assert quota.limits.of("run") == quota.own["run"] == {"calls": 5}
    assert here.calls == [Decimal(5)]
    assert there.calls == []
    assert here.quotas.applies()
    async with asyncio.timeout(10), asyncio.TaskGroup() as group:
        looking = group.create_task(there.feed.run())
        while there.calls != [Decimal(5)]:
            await asyncio.sleep(0.01)
        looking.cancel()
    await here.service.set(BOSS, "ada", {})
    assert await there.feed.refresh()
    assert not await there.feed.refresh()
    assert here.calls == []
    assert there.calls == []
    assert not there.quotas.applies()


async def test_a_limit_that_was_changed_by_sql_is_known_too(
    database: Database, users: None
) -> None:
    here = Process(database)
    await here.service.set(BOSS, "ada", {"run": some(calls=5)})
    await change(database, """UPDATE user_quotas SET limits = '{"run": {"calls": 3}}'""")
    assert await here.feed.refresh()
    assert here.calls == [Decimal(3)]


async def test_who_set_a_limit_is_kept(database: Database, users: None) -> None:
    await Process(database).service.set(BOSS, "ada", {"run": {"calls": None}})
    assert await rows(database, "SELECT limits, updated_by FROM user_quotas") == [
        ({"run": {"calls": None}}, "boss")
    ]


async def test_only_admins_set_limits_and_see_those_of_others(
    database: Database, users: None
) -> None:
    service = Process(database).service
    with pytest.raises(Forbidden):
        await service.set(ADA, None, {"run": {"calls": None}})
    with pytest.raises(NotFound):
        await service.get(ADA, "boss")
    with pytest.raises(NotFound):
        await service.set(BOSS, "nobody", {})
    assert (await service.get(ADA, "ada")).user == "ada"
    assert (await service.get(BOSS, "ada")).user == "ada"
    assert await rows(database, "SELECT 1 FROM user_quotas") == []


async def test_a_process_begins_with_counters_that_count_every_call(
    database: Database, database_url: str
) -> None:
    here = await spot(database)
    async with spender(database, database_url, quotas_of({})) as one:
        await one.open(one.call(here, 10))
    await change(database, "DELETE FROM budget_counters")
    await Process(database).feed.begin()
    assert await rows(database, "SELECT DISTINCT calls FROM budget_counters") == [(1,)]


def test_users_of_the_file_are_known_by_name_and_providers_by_the_catalog(tmp_path: Path) -> None:
    file = tmp_path / "quotas.yaml"
    file.write_text("users: {ada: {run: {calls: 1}}}\nrates: {providers: {qwen: {}}}\n")
    allowances = make_allowances(file, ["qwen"])
    assert allowances.quotas.limits_of(ADA.user_id).of("run") == {"calls": 1}
    with pytest.raises(ConfigError, match="no factory is called 'qwen'"):
        make_allowances(file, ["deepseek"])


@pytest.mark.parametrize(("zone", "is_told"), [("Asia/Shanghai", True), ("UTC", False)])
async def test_a_process_that_counts_days_in_another_zone_is_told_of(
    database: Database, zone: str, is_told: bool
) -> None:
    async with WorkerLock(database, "other", zone), WorkerLock(database, "own", "UTC"):
        with structlog.testing.capture_logs() as told:
            await Process(database).feed.begin()
    assert ("zones_differ" in [each["event"] for each in told]) == is_told
