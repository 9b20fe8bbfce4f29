"""`make bench ARGS=rows`: a large ledger is made, read by month, and written to.

Prints each time against its bound and exits with 1 where one is missed.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import asyncpg

from bench.report import Row, table
from bench.rows.booking import booking_ms
from bench.rows.generate import CALLS_A_SESSION, Size, generate
from bench.rows.reading import reports_s, views_s
from callsheet.db.embedded.options import EmbeddedOptions
from callsheet.db.embedded.server import Server
from callsheet.db.engine import plain_url
from callsheet.db.migrate import migrate
from callsheet.db.options import DatabaseOptions
from callsheet.db.transaction import Database
from callsheet.ledger.audit.audit import audit_results

MONTH_DAYS: Final = 30
READ_S: Final = 2.0
SETTLE_MS: Final = 5.0


def main(arguments: Sequence[str]) -> int:
    """Make the rows, measure, print, judge."""
    parser = _parser()
    asked = parser.parse_args(arguments)
    if asked.rows < CALLS_A_SESSION or asked.rows % CALLS_A_SESSION or asked.times < 1:
        parser.error(f"--rows are whole sessions of {CALLS_A_SESSION} calls, --times at least 1")
    size = Size(asked.rows, asked.days, datetime.now(UTC).replace(microsecond=0))
    with contextlib.ExitStack() as stack:
        if asked.keep:
            folder = Path(asked.keep).resolve()
        else:
            scratch = stack.enter_context(tempfile.TemporaryDirectory(prefix="callsheet-rows-"))
            Path(scratch).chmod(0o755)
            folder = Path(scratch) / "data"
        server = Server(EmbeddedOptions(folder))
        server.join()
        stack.callback(server.leave)
        found = asyncio.run(measure(server.url, size, asked.times))
    print(table(found))
    missed = [row for row in found if not row.holds]
    print(f"\n{len(found) - len(missed)} of {len(found)} bounds hold.")
    return 1 if missed else 0


async def measure(url: str, size: Size, times: int, *, bookings: int = 300) -> list[Row]:
    """A row for each view, each report and the settling of a call; the rows are made if need be."""
    await migrate(url)
    connection = await asyncpg.connect(plain_url(url))
    database = Database.from_options(DatabaseOptions(url, statement_timeout_s=3600), pooled=False)
    try:
        if not await connection.fetchval("SELECT EXISTS (SELECT FROM llm_calls)"):
            await generate(connection, size, _say)
        until = await connection.fetchval("SELECT max(started_at) FROM llm_calls")
        first, last = (until - timedelta(days=MONTH_DAYS)).date(), until.date()
        of_month = await connection.fetchval(
            "SELECT count(*) FROM llm_calls "
            "WHERE (started_at AT TIME ZONE 'UTC')::date BETWEEN $1 AND $2",
            first,
            last,
        )
        _say(f"{of_month} calls from {first} to {last}")
        views = await views_s(connection, first, last, times)
        reports = await reports_s(database, first, last, times)
        _say("views and reports read")
        opened, settled = await booking_ms(url, bookings)
        differences = await _differences(database)
    finally:
        await database.close()
        await connection.close()
    settled_p95 = statistics.quantiles(settled, n=20)[-1]
    _say(f"open p50 {statistics.median(opened):.2f} ms, settle p95 {settled_p95:.2f} ms")
    return [
        *(Row(f"{name}, a month, s", tuple(taken), READ_S, 0.5) for name, taken in views.items()),
        *(Row(f"report by {by}, s", tuple(taken), READ_S, 0.5) for by, taken in reports.items()),
        Row("settle p50, ms", (statistics.median(settled),), SETTLE_MS, 2),
        Row("differences that the audit finds", (float(differences),), 0, 0),
    ]


async def _differences(database: Database) -> int:
    found = 0
    began = time.perf_counter()
    async for result in audit_results(database):
        _say(f"audit {result.query.number}: {time.perf_counter() - began:.1f} s")
        began = time.perf_counter()
        found += len(result.rows) if result.query.kind == "differences" else 0
    return found


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="make bench ARGS=rows", description=main.__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000, help="calls in the ledger")
    parser.add_argument("--days", type=int, default=365, help="days that they are spread over")
    parser.add_argument("--times", type=int, default=3, help="how often each is read")
    parser.add_argument("--keep", help="a folder for the database, which is kept and used again")
    return parser


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
