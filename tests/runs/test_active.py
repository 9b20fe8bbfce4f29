"""What is asked of active runs costs what those cost, not what all runs do."""

from __future__ import annotations

from sqlalchemy import text

from callsheet.db.transaction import Database
from callsheet.runs.active import is_active


async def test_who_asks_of_active_runs_reads_only_their_indexes(database: Database) -> None:
    async with database.read() as tx:
        await tx.execute(text("SET LOCAL enable_seqscan = off"))
        plan = await tx.execute(
            text(f"EXPLAIN SELECT id FROM runs r WHERE {is_active('r')} AND r.worker_id = 'w1'")
        )
        told = "\n".join(row[0] for row in plan)
    assert "Seq Scan" not in told
    assert "uq_runs_active_session" in told
    assert "idx_runs_behind" in told
