"""The journal's writer when something is wrong: the database, or one run's event."""

from __future__ import annotations

from decimal import Decimal

import pytest

from callsheet.db.transaction import Database
from callsheet.events.call import AnswerFinished, LlmCallFinished
from callsheet.events.usage import MeteredUsage, Usage
from callsheet.kit.errors import Unavailable
from callsheet.kit.ids import new_id
from callsheet.ledger.budget.store import BudgetGuard
from callsheet.turn.meter import CallEnd
from tests.journal.measuring import MEASURED, open_call
from tests.journal.stage import admitted
from tests.journal.test_writer import (
    BEGIN,
    Shown,
    admitted_again,
    assert_audited,
    rows,
    turn,
    writing,
)
from tests.ledger.budget.spending import quotas_of, some


async def test_a_lost_connection_is_survived_and_nothing_is_booked_twice(
    database: Database, database_url: str
) -> None:
    run = await admitted(database)
    shown: Shown = []
    async with writing(database_url, shown, before=2, after=2) as writer:
        await turn(writer, database, run)
    (session,) = await rows(database, "SELECT message_count, total_tokens FROM sessions")
    assert session == (3, 120)
    await assert_audited(database)


async def test_nothing_is_shown_that_could_not_be_stored(
    database: Database, database_url: str
) -> None:
    run = await admitted(database)
    shown: Shown = []
    async with writing(database_url, shown, before=1000, retry_for_s=0.1) as writer:
        log = writer.open(run.keys)
        log.append(BEGIN)
        with pytest.raises(Unavailable):
            await log.stored()
        with pytest.raises(Unavailable):
            log.append(BEGIN)
    assert shown == []


async def test_one_runs_bad_event_takes_no_other_run_with_it(
    database: Database, database_url: str
) -> None:
    good, other = await admitted(database), await admitted_again(database)
    shown: Shown = []
    async with writing(database_url, shown) as writer:
        fine, broken = writer.open(good.keys), writer.open(other.keys)
        fine.append(BEGIN)
        broken.append(AnswerFinished(message_id="no uuid", status="final", text="x"))
        await fine.stored()
        with pytest.raises(Unavailable):
            await broken.stored()
    assert [run_id for run_id, _ in shown] == [good.keys.run_id]


async def test_an_event_that_cannot_be_booked_ends_its_run_and_no_other(
    database: Database, database_url: str
) -> None:
    good, other = await admitted(database), await admitted_again(database)
    endless: list[object] = []
    endless.append(endless)
    shown: Shown = []
    async with writing(database_url, shown) as writer:
        fine, broken = writer.open(good.keys), writer.open(other.keys)
        fine.append(BEGIN)
        broken.append(
            LlmCallFinished(
                call_id=str(new_id()),
                message_id=str(new_id()),
                status="settled",
                metered=MeteredUsage(usage=Usage(), source="provider", raw=endless),
                cost_native=Decimal(0),
                cost_exact=Decimal(0),
                latency_ms=1,
            )
        )
        await fine.stored()
        with pytest.raises(Unavailable):
            await broken.stored()
    assert [run_id for run_id, _ in shown] == [good.keys.run_id]


async def test_a_bad_event_takes_no_other_run_with_it_where_budgets_are_asked(
    database: Database, database_url: str
) -> None:
    good, other = await admitted(database), await admitted_again(database)
    guard = BudgetGuard(quotas_of({"run": some(calls=9)}))
    async with writing(database_url, [], budgets=guard) as writer:
        broken = writer.open(other.keys)
        broken.append(AnswerFinished(message_id="no uuid", status="final", text="x"))
        call, recorder, _ = await open_call(writer, database, good)
        with pytest.raises(Unavailable):
            await broken.stored()
        call.close(CallEnd(status="settled", metered=MEASURED))
        await recorder.stored()
    assert await rows(database, "SELECT status FROM llm_calls") == [("settled",)]
    await assert_audited(database)
