"""The SQL of runs, apart from what the journal writes while they run."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec
from sqlalchemy import select, text
from sqlalchemy.engine import Row

from callsheet.db.states import one_of
from callsheet.db.tables.run import Run
from callsheet.db.transaction import Read, Tx
from callsheet.events.usage import ModelUsage
from callsheet.kit.pages import Page, PageRequest, decode_cursor, encode_cursor
from callsheet.runs.in_the_way import RunInTheWay
from callsheet.runs.lease import Lease
from callsheet.runs.new_run import NewRun
from callsheet.runs.run import RunRecord
from callsheet.runs.states import ACTIVE
from callsheet.runs.watched import AskedFor

_T = Run.__table__.c
_COLUMNS = (
    _T.id,
    _T.session_id,
    _T.user_id,
    _T.workflow,
    _T.revision,
    _T.status,
    _T.raw_run_id,
    _T.raw_thread_id,
    _T.parent_run_id,
    _T.user_message_id,
    _T.error_code,
    _T.error_message,
    _T.trace_id,
    _T.created_at,
    _T.started_at,
    _T.finished_at,
    _T.behind,
    _T.usage,
)

_ADD = text("""
INSERT INTO runs (id, session_id, user_id, workflow, status, raw_run_id, raw_thread_id,
                  parent_run_id, user_message_id, protocol, worker_id, trace_id, input,
                  continues_run_id, root_run_id, revision, priority, behind, expires_at)
VALUES (:id, :session_id, :user_id, :workflow, 'queued', :raw_run_id, :raw_thread_id,
        :parent_run_id, :user_message_id, :protocol, :worker_id, :trace_id,
        CAST(:input AS jsonb), :continues_run_id,
        (SELECT coalesce(b.root_run_id, b.id) FROM runs b WHERE b.id = :continues_run_id),
        (SELECT b.revision FROM runs b WHERE b.id = :continues_run_id),
        :priority, :behind, now() + make_interval(secs => CAST(:waiting_s AS float8)))
ON CONFLICT (id) DO NOTHING
""")

_IS_ACTIVE = f"status IN ({one_of(ACTIVE)})"

_ACTIVE = text(
    "SELECT id, worker_id, lease_epoch FROM runs"  # noqa: S608
    f" WHERE session_id = :session_id AND {_IS_ACTIVE} AND NOT behind"
)

_IN_USE = text(f"""
SELECT EXISTS (SELECT FROM runs WHERE session_id = :session_id
               AND ({_IS_ACTIVE} OR status = 'waiting_input'))
""")  # noqa: S608 - our own words, not values

_IN_THE_WAY = text(f"""
SELECT id, user_id, session_id, user_message_id, worker_id, lease_epoch,
       {_IS_ACTIVE} AND NOT behind AS is_active, {_IS_ACTIVE} AND behind AS is_behind,
       status = 'waiting_input' AS is_waiting
FROM runs
WHERE id = :run_id OR (session_id = :session_id AND {_IS_ACTIVE})
   OR (session_id = :session_id AND status = 'waiting_input')
""")  # noqa: S608 - our own words, not values


async def add_run(tx: Tx, run: NewRun, input_json: str) -> bool:
    """Store a queued run; the session's lock is held by the caller.

    False where a run of that id was let in meanwhile, in another session.
    """
    result = await tx.execute(
        _ADD,
        {
            "id": run.id,
            "session_id": run.session_id,
            "user_id": run.user_id,
            "workflow": run.workflow,
            "raw_run_id": run.raw_run_id,
            "raw_thread_id": run.raw_thread_id,
            "parent_run_id": run.parent_run_id,
            "user_message_id": run.user_message_id,
            "protocol": run.protocol,
            "worker_id": run.worker_id,
            "trace_id": run.trace_id,
            "input": input_json,
            "continues_run_id": run.continues_run_id,
            "priority": run.priority,
            "waiting_s": run.waiting_s,
            "behind": run.behind,
        },
    )
    return result.rowcount == 1


async def find_active(tx: Read, session_id: UUID) -> tuple[UUID, Lease] | None:
    """The session's queued or running run and who has it."""
    row = (await tx.execute(_ACTIVE, {"session_id": session_id})).first()
    return None if row is None else (row.id, Lease(row.worker_id, row.lease_epoch))


async def is_in_use(tx: Read, session_id: UUID) -> bool:
    """Whether any run of the session has not ended, those that wait for whatever among them."""
    return bool((await tx.execute(_IN_USE, {"session_id": session_id})).scalar_one())


async def find_run(tx: Read, run_id: UUID, user_id: UUID) -> RunRecord | None:
    """The user's run of that id."""
    query = select(*_COLUMNS).where(_T.id == run_id, _T.user_id == user_id)
    row = (await tx.execute(query)).first()
    return None if row is None else _record(row)


async def runs_in_the_way(tx: Read, session_id: UUID, run_id: UUID) -> list[RunInTheWay]:
    """What a new run has to know: the session's active run, and whoever's run of that id."""
    rows = await tx.execute(_IN_THE_WAY, {"session_id": session_id, "run_id": run_id})
    return [
        RunInTheWay(
            row.id,
            row.user_id,
            row.session_id,
            row.user_message_id,
            Lease(row.worker_id, row.lease_epoch),
            is_active=row.is_active,
            is_waiting=row.is_waiting,
            is_behind=row.is_behind,
        )
        for row in rows
    ]


async def list_runs(
    tx: Read, session_id: UUID, user_id: UUID, page: PageRequest
) -> Page[RunRecord]:
    """The session's runs, newest first."""
    query = (
        select(*_COLUMNS)
        .where(_T.session_id == session_id, _T.user_id == user_id)
        .order_by(_T.created_at.desc(), _T.id.desc())
        .limit(page.limit + 1)
    )
    if page.cursor is not None:
        created_at, run_id = decode_cursor(page.cursor, datetime, UUID)
        query = query.where(
            (_T.created_at < created_at) | ((_T.created_at == created_at) & (_T.id < run_id))
        )
    rows = (await tx.execute(query)).all()
    records = tuple(_record(row) for row in rows[: page.limit])
    more = len(rows) > page.limit
    cursor = encode_cursor(records[-1].created_at, records[-1].id) if more else None
    return Page(records, cursor)


async def run_by_id(tx: Read, run_id: UUID) -> RunRecord | None:
    """The run of that id, whoever owns it: for the product's own upkeep."""
    row = (await tx.execute(select(*_COLUMNS).where(_T.id == run_id))).first()
    return None if row is None else _record(row)


async def asked_for(tx: Read, run_id: UUID) -> AskedFor:
    """How a run that is there was asked for."""
    row = (await tx.execute(select(_T.protocol, _T.input).where(_T.id == run_id))).one()
    beside = row.input or {}
    return AskedFor(row.protocol, beside.get("state"), beside.get("parentRunId"))


async def ended_of(tx: Read, run_ids: Sequence[UUID]) -> frozenset[UUID]:
    """Those of the runs that have ended."""
    query = select(_T.id).where(_T.id.in_(run_ids), _T.status.not_in(ACTIVE))
    return frozenset((await tx.execute(query)).scalars())


def _record(row: Row[*tuple[Any, ...]]) -> RunRecord:
    values = row._asdict()
    usage = values.pop("usage") or []
    return RunRecord(**values, usage=tuple(msgspec.convert(usage, list[ModelUsage], strict=False)))
