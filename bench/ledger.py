"""Whether the books of the measured server equal what the provider put on its bill."""

from __future__ import annotations

import asyncpg
from sqlalchemy.engine import make_url

from bench.measure import Billed
from callsheet.db.engine import plain_url
from callsheet.db.options import DatabaseOptions
from callsheet.db.transaction import Database
from callsheet.ledger.audit.audit import run_audit


async def differences(url: str, billed: Billed) -> list[str]:
    """In words, what is not equal; every audit query that finds something."""
    found = []
    connection = await asyncpg.connect(plain_url(url))
    try:
        row = await connection.fetchrow(
            "SELECT count(*) AS calls, coalesce(sum(input_tokens), 0) AS prompt, "
            "coalesce(sum(output_tokens), 0) AS completion, "
            "count(*) FILTER (WHERE status <> 'settled') AS unsettled FROM llm_calls"
        )
    finally:
        await connection.close()
    assert row is not None
    for name, booked, wanted in (
        ("calls", row["calls"], billed.requests),
        ("input tokens", row["prompt"], billed.prompt),
        ("output tokens", row["completion"], billed.completion),
        ("calls that are not settled", row["unsettled"], 0),
    ):
        if booked != wanted:
            found.append(f"ledger: {booked} {name}, the provider has {wanted}")
    return found + await _audit(url)


async def own_database(url: str, name: str) -> str:
    """The address of a new database of that name on the same server."""
    connection = await asyncpg.connect(plain_url(url))
    try:
        await connection.execute(f'CREATE DATABASE "{name}"')
    finally:
        await connection.close()
    return plain_url(make_url(url).set(database=name))


async def _audit(url: str) -> list[str]:
    database = Database.from_options(DatabaseOptions(url, pool_size=1))
    try:
        results = await run_audit(database)
    finally:
        await database.close()
    return [
        f"audit {result.query.number}: {len(result.rows)} rows ({result.query.title})"
        for result in results
        if result.query.kind == "differences" and result.rows
    ]
