"""What the database says, for tests that go through HTTP."""

from __future__ import annotations

import asyncio
import json
import time
from typing import Any

import asyncpg

from callsheet.ledger.audit.audit import QUERIES
from tests.fakes.provider.stats import Sum

_KEPT = (
    "alembic_version",
    "llm_factory",
    "llms",
    "llm_prices",
    "price_windows",
    "fx_rates",
    "users",
    "workflow_revisions",
    "price_windows",
    "fx_rates",
    "api_keys",
)


class Books:
    """Reads through a connection of its own."""

    def __init__(self, connection: asyncpg.Connection[asyncpg.Record]) -> None:
        self._connection = connection

    async def rows(self, sql: str, *args: Any) -> list[dict[str, Any]]:
        return [dict(row) for row in await self._connection.fetch(sql, *args)]

    async def one(self, sql: str, *args: Any) -> Any:
        """The first value of the first row."""
        return await self._connection.fetchval(sql, *args)

    async def clear(self) -> None:
        """Forget every session, run and call; prices, catalog and users stay."""
        tables = await self.rows(
            "SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> ALL($1)",
            list(_KEPT),
        )
        deletes = [f'DELETE FROM "{row["tablename"]}"' for row in tables]
        await self._connection.execute(
            "; ".join(
                [
                    "SET session_replication_role = replica",
                    *deletes,
                    "RESET session_replication_role",
                ]
            )
        )

    async def until_idle(self, within_s: float = 10.0) -> None:
        """Wait until no run is under way."""
        deadline = time.monotonic() + within_s
        under_way = "SELECT count(*) FROM runs WHERE status IN ('queued', 'running')"
        while await self.one(under_way):
            assert time.monotonic() < deadline, "a run was left under way"
            await asyncio.sleep(0.02)

    async def messages(self, session_id: str) -> list[dict[str, Any]]:
        """All messages of a session in their order, the inner ones too."""
        return await self.rows(
            "SELECT *, metadata::text AS raw_metadata FROM messages "
            "WHERE session_id = $1::uuid ORDER BY seq",
            session_id,
        )

    async def calls(self) -> list[dict[str, Any]]:
        """All ledger rows, oldest first."""
        return await self.rows("SELECT * FROM llm_calls ORDER BY started_at, id")

    async def events(self, run_id: str) -> list[dict[str, Any]]:
        """The journal of a run."""
        found = await self.rows(
            "SELECT event::text FROM run_events WHERE run_id = $1::uuid ORDER BY seq", run_id
        )
        return [json.loads(row["event"]) for row in found]

    async def run_status(self, run_id: str) -> str:
        return str(await self.one("SELECT status FROM runs WHERE id = $1::uuid", run_id))

    async def until_run(self, run_id: str, *statuses: str, within_s: float = 10.0) -> str:
        """Wait until the run has one of these statuses."""
        deadline = time.monotonic() + within_s
        while (status := await self.run_status(run_id)) not in statuses:
            assert time.monotonic() < deadline, f"the run is still {status}"
            await asyncio.sleep(0.02)
        return status

    async def booked(self) -> Sum:
        """The tokens of all ledger rows."""
        found = await self._connection.fetchrow(
            "SELECT coalesce(sum(input_tokens), 0)::int AS prompt, "
            "coalesce(sum(output_tokens), 0)::int AS completion, "
            "coalesce(sum(cached_tokens), 0)::int AS cached, "
            "coalesce(sum(reasoning_tokens), 0)::int AS reasoning FROM llm_calls"
        )
        assert found is not None
        return Sum(**dict(found))

    async def audit(self) -> dict[str, list[dict[str, Any]]]:
        """What each audit query that looks for differences found; empty where all is well."""
        found = {
            query.title: await self.rows(query.sql)
            for query in QUERIES
            if query.kind == "differences"
        }
        open_calls = await self.rows("SELECT id FROM llm_calls WHERE status = 'open'")
        return {title: rows for title, rows in {**found, "open calls": open_calls}.items() if rows}
