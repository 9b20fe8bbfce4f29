"""Four processes over one database, one of them killed with calls open."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from callsheet.db.transaction import Database
from tests.fixtures.database import CHECKOUT
from tests.ledger.budget.spending import spender, spot
from tests.ledger.budget.spending_process import QUOTAS
from tests.ledger.budget.test_store import assert_counters_equal_the_ledger
from tests.sessions.rows import rows

Process = asyncio.subprocess.Process


@asynccontextmanager
async def process(url: str, *arguments: str) -> AsyncIterator[Process]:
    started = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.ledger.budget.spending_process", url, *arguments,
        cwd=CHECKOUT, env={"PYTHONPATH": f"{CHECKOUT}/backend:{CHECKOUT}"},
        stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    try:
        yield started
    finally:
        if started.returncode is None:
            started.kill()
        await started.wait()


async def line_of(started: Process) -> str:
    assert started.stdout is not None
    async with asyncio.timeout(60):
        return (await started.stdout.readline()).decode().strip()


async def assert_within(database: Database, user_id: str) -> None:
    found = await rows(
        database,
        "SELECT tokens + reserved_tokens <= 1000, cost + reserved_cost <= 0.0009, calls <= 30 "
        "FROM budget_counters WHERE scope = 'user' AND scope_id = :id AND period = 'day'",
        id=user_id,
    )
    assert found == [(True, True, True)]


async def test_a_process_that_is_killed_with_calls_open_neither_loses_nor_frees_money(
    database: Database, database_url: str
) -> None:
    spots = [await spot(database, name) for name in ("ada", "bob", "cid") for _ in range(2)]
    limited = str(spots[0].user.user_id)
    async with spender(database, database_url, QUOTAS) as one:
        async with process(database_url, "0", "0", "hang") as doomed:
            assert await line_of(doomed) == "open"
            doomed.send_signal(signal.SIGKILL)
            await doomed.wait()
        held = "SELECT count(*), sum(reserved_tokens) FROM llm_calls WHERE status = 'open'"
        assert await rows(database, held) == [(6, 540)]
        async with (
            process(database_url, "1", "20") as first,
            process(database_url, "2", "20") as second,
            process(database_url, "3", "20") as third,
        ):
            words = [await line_of(each) for each in (first, second, third)]
        refused = sum(int(word.removeprefix("refused ")) for word in words)
        assert refused > 0
        assert await rows(database, held) == [(6, 540)]
        await assert_within(database, limited)
        await assert_counters_equal_the_ledger(database)

        # Whoever sweeps up settles what the killed one had left, once, by estimate.
        left = await rows(
            database,
            "SELECT id::text, session_id, message_id::text FROM llm_calls WHERE status = 'open'",
        )
        for call_id, session_id, message_id in left:
            at = next(at for at in spots if at.session_id == session_id)
            call = one.call(at, 90, id=call_id, message_id=message_id)
            await one.settle((call, 45))
            await one.settle((call, 90))
    assert await rows(database, held) == [(0, None)]
    assert await rows(database, "SELECT sum(reserved_tokens) FROM budget_counters") == [(0,)]
    await assert_within(database, limited)
    await assert_counters_equal_the_ledger(database)
    assert await rows(database, "SELECT count(*) FROM usage_refusals") == [(refused,)]
