"""The session of psql on the audit page, pasted into a shell."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
from pathlib import Path

from callsheet.db.transaction import Database
from callsheet.kit.ids import new_id
from tests.docs.pages import blocks, text_of
from tests.fixtures.booked import Booked, book_turns, change

PAGE = text_of("docs/cost-audit.md")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")


def comparable(printed: str) -> list[str]:
    """Lines without the dates, which vary, and without the spaces that psql ends lines with."""
    return [line.rstrip() for line in _DAY.sub("DAY", printed).strip().splitlines()]


async def book(database: Database) -> None:
    """Three turns, one estimated call, one call that is open and one correction."""
    booked = await book_turns(database, turns=3)
    await change(database, "UPDATE users SET name = 'ada'", {})
    await change(
        database,
        "UPDATE llm_calls SET usage_source = 'estimated', usage_method = 'tokens', "
        "raw_usage = NULL WHERE id = :id",
        {"id": booked.call_id},
    )
    await change(
        database,
        "INSERT INTO llm_calls (idempotency_key, session_id, user_id, factory, model_code, "
        "price_id, price_currency, currency, reserved_cost, reserved_tokens, started_at) "
        "SELECT 'open', session_id, user_id, factory, model_code, price_id, 'USD', 'USD', "
        "0.0016, 2048, started_at FROM llm_calls WHERE id = :id",
        {"id": booked.call_id},
    )
    await correct(database, booked)


async def correct(database: Database, booked: Booked) -> None:
    await change(
        database,
        "INSERT INTO cost_adjustments (call_id, factory, amount, currency, reason, reference, "
        "created_by) VALUES (:call, 'qwen', -0.0001, 'USD', 'bill', :reference, 'me')",
        {"call": booked.call_id, "reference": str(new_id())},
    )


def shell(script: str, database_url: str, home: Path) -> subprocess.CompletedProcess[str]:
    """Run it as a reader does, with `callsheet` on the PATH and UTC days as on the page."""
    programs = Path(sys.executable).parent
    environment = {
        "PATH": f"{programs}:{os.environ['PATH']}",
        "HOME": str(home),
        "LC_ALL": "C.UTF-8",
        "CALLSHEET_DATABASE__URL": database_url,
        "CALLSHEET_DATA_DIR": str(home / "data"),
    }
    return subprocess.run(
        ["bash", "-c", script],
        cwd=home,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


async def test_the_session_that_is_shown_prints_what_is_shown(
    database: Database, database_url: str, tmp_path: Path
) -> None:
    [script] = blocks(PAGE, "bash")
    [shown] = blocks(PAGE, "text")
    await book(database)
    done = await asyncio.to_thread(shell, script, database_url, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert comparable(done.stdout) == comparable(shown)


async def test_the_last_query_of_the_session_finds_a_message_that_was_changed(
    database: Database, database_url: str, tmp_path: Path
) -> None:
    [script] = blocks(PAGE, "bash")
    await book(database)
    await change(database, "UPDATE messages SET cost = 7 WHERE role = 'assistant'", {})
    done = await asyncio.to_thread(shell, script, database_url, tmp_path)
    assert done.stdout.rstrip().endswith("(3 rows)")
    assert "7.000000 | 0.000800" in done.stdout
