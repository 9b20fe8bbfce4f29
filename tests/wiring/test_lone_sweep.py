"""A call of no run whose process died is settled by estimate, once, and not while it lives."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from callsheet.crew.title import MOST_OUTPUT_TOKENS, TITLE
from callsheet.db.transaction import Database
from callsheet.journal.changes import RunKeys
from callsheet.kit.clock import SystemClock
from callsheet.kit.ids import new_id
from callsheet.ledger.budget.store import BudgetGuard
from callsheet.turn.meter import CallIntent
from callsheet.turn.run_meter import RunMeter
from callsheet.wiring.lone_log import LoneLog
from callsheet.wiring.lone_sweep import LoneSweep
from tests.fakes.clock import HandClock
from tests.ledger.bookings import assert_sound
from tests.sessions.rows import rows
from tests.wiring.stage import USER, all_of, application, begin, settings_of

INTENT = CallIntent(
    message_id="",
    agent_run_id="",
    stage=TITLE,
    agent=TITLE,
    task=TITLE,
    factory="qwen",
    model="qwen3.5-flash",
    attempt=1,
    visible=False,
    estimated_input_tokens=120,
    max_output_tokens=MOST_OUTPUT_TOKENS,
    purpose=TITLE,
)
CALL = (
    "SELECT status, usage_source, input_tokens, output_tokens, cost_exact > 0, reserved_cost "
    "FROM llm_calls WHERE purpose = 'title'"
)


async def test_a_lone_call_that_was_left_open_is_settled_by_estimate(
    tmp_path: Path, database: Database, database_url: str
) -> None:
    async with application(settings_of(tmp_path, database_url)) as app:
        await app.ready()
        run = await begin(app, "Hello")
        await all_of(run.entries)
        core, budgets = app.core(), BudgetGuard(app.allowances.quotas)
        keys = RunKeys(new_id(), run.session_id, USER.user_id)
        log = LoneLog(core.driver, budgets, keys)
        await RunMeter(core.prices, log, log.emit, SystemClock()).open(INTENT)
        clock = HandClock(SystemClock().now())
        sweep = LoneSweep(database, core.driver, budgets, clock)
        assert await sweep.sweep() == 0
        assert (await rows(database, CALL))[0][0] == "open"
        clock.forward(timedelta(minutes=6).total_seconds())
        assert await sweep.sweep() == 1
        assert await sweep.sweep() == 0
    assert await rows(database, CALL) == [("orphaned", "estimated", 120, 0, True, 0)]
    await assert_sound(database)
