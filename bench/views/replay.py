"""How long a long run takes to be shown once more: as it was written, and packed."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from uuid import UUID

import asyncpg
import httpx

from bench.load import request_body
from callsheet.db.engine import plain_url
from callsheet.db.options import DatabaseOptions
from callsheet.db.transaction import Database
from callsheet.events.agent import AgentFinished, AgentStarted
from callsheet.events.run import RunFinished, RunStarted
from callsheet.events.stage import StageFinished, StageStarted
from callsheet.events.text import TextDelta, TextEnded, TextStarted
from callsheet.events.union import AnyRunEvent, dump_event
from callsheet.kit.ids import new_id
from callsheet.runs.upkeep_store import next_whole, pack_journal

_BATCH = 20_000


async def replay_s(url: str, port: int, events: int, times: int) -> dict[str, list[float]]:
    """Seconds to read the whole stream of a run with that many events, each way `times` times."""
    connection = await asyncpg.connect(plain_url(url))
    database = Database.from_options(DatabaseOptions(url, statement_timeout_s=600), pooled=False)
    try:
        run_id = await _long_run(connection, port, events)
        took = {"as written": [await _read_s(port, run_id, events) for _ in range(times)]}
        await connection.execute(
            "UPDATE runs SET finished_at = finished_at - interval '2 days' WHERE id = $1", run_id
        )
        async with database.transaction() as tx:
            while (
                old := await next_whole(tx, datetime.now(UTC) - timedelta(days=1), ())
            ) is not None:
                await pack_journal(tx, old)
        took["packed"] = [await _read_s(port, run_id, events) for _ in range(times)]
    finally:
        await database.close()
        await connection.close()
    return took


async def _long_run(connection: asyncpg.Connection[asyncpg.Record], port: int, events: int) -> UUID:
    """A turn that was had, with a journal of that many events in place of its own."""
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=60) as http:
        headers = {"content-type": "application/json"}
        answer = await http.post("/v1/agent-chat", content=request_body(), headers=headers)
    run_id = UUID(answer.headers["x-run-id"])
    session_id = answer.headers["x-session-id"]
    await connection.execute("DELETE FROM run_events WHERE run_id = $1", run_id)
    at, rows = datetime.now(UTC), []
    for seq, event in enumerate(_journal(session_id, events), start=1):
        at += timedelta(milliseconds=1)
        rows.append((run_id, seq, at, dump_event(event).decode()))
        if len(rows) == _BATCH:
            await _store(connection, rows)
            rows = []
    await _store(connection, rows)
    return run_id


async def _store(
    connection: asyncpg.Connection[asyncpg.Record], rows: list[tuple[UUID, int, datetime, str]]
) -> None:
    await connection.copy_records_to_table(
        "run_events", records=rows, columns=["run_id", "seq", "at", "event"]
    )


def _journal(session_id: str, events: int) -> Iterator[AnyRunEvent]:
    agent, message = str(new_id()), str(new_id())
    yield RunStarted(
        workflow="chat", revision="r", session_id=session_id, trace_id="t", session_cost=Decimal(0)
    )
    yield StageStarted(stage="write")
    yield AgentStarted(agent_run_id=agent, agent="a", label="A", stage="write", task="write")
    yield TextStarted(message_id=message, agent_run_id=agent, visible=True)
    for number in range(events - 8):
        yield TextDelta(message_id=message, text=f"word{number:06d} ")
    yield TextEnded(message_id=message)
    yield AgentFinished(agent_run_id=agent, status="done")
    yield StageFinished(stage="write", status="done")
    yield RunFinished(message_id=message)


async def _read_s(port: int, run_id: UUID, events: int) -> float:
    began = time.perf_counter()
    frames, tail = 0, b""
    async with (
        httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=120) as http,
        http.stream("GET", f"/v1/runs/{run_id}/events") as answer,
    ):
        async for piece in answer.aiter_raw(1 << 18):
            frames += (tail[-1:] + piece).count(b"\n\n")
            tail = piece[-1:] if not piece.endswith(b"\n\n") else b""
    took_s = time.perf_counter() - began
    if frames < events:
        raise RuntimeError(f"{frames} frames of {events}")
    return took_s
