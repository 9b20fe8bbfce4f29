"""Events and states of runs, as the journal writes them: many at once, on its own connection."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from uuid import UUID

from asyncpg import NotNullViolationError

from callsheet.db.joined import Statements
from callsheet.db.states import allowed, one_of
from callsheet.events.entry import Entry
from callsheet.events.union import dump_event
from callsheet.runs.end import RunEnd
from callsheet.runs.states import RUN

# A run that was taken over has another epoch: then there is no run for its events, which violates
# NOT NULL, and nothing of the batch is stored. A take-over locks the run's row FOR UPDATE, so the
# lock here waits for it, and the epoch is compared once more with what it has left.
_APPEND = """
WITH held AS (
  SELECT r.id FROM unnest($5::uuid[], $6::int[]) AS lease(run_id, epoch)
  JOIN runs r ON r.id = lease.run_id AND r.lease_epoch = lease.epoch
  FOR KEY SHARE OF r
)
INSERT INTO run_events (run_id, seq, at, event)
SELECT held.id, e.seq, e.at, e.event
FROM unnest($1::uuid[], $2::int[], $3::timestamptz[], $4::jsonb[]) AS e(run_id, seq, at, event)
LEFT JOIN held ON held.id = e.run_id
ON CONFLICT (run_id, seq) DO NOTHING
"""

_START = f"""
UPDATE runs r SET status = 'running', revision = n.revision, started_at = now(), updated_at = now()
FROM unnest($1::uuid[], $2::text[]) AS n(id, revision)
WHERE r.id = n.id AND r.status IN ({one_of(RUN.before("running"))})
"""  # noqa: S608 - our own words, not values

_END = f"""
UPDATE runs r
SET status = n.status, usage = n.usage::jsonb, error_code = n.error_code,
    error_message = n.error_message, updated_at = now(),
    finished_at = CASE WHEN n.status = 'waiting_input' THEN NULL ELSE now() END
FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[])
  AS n(id, status, usage, error_code, error_message)
WHERE r.id = n.id AND {allowed(RUN, "r.status", "n.status")}
"""  # noqa: S608 - our own words, not values


# What a run that waits behind another has with it is said when that one takes it in. Once it is
# said it is not there any more, so that the same write can be repeated.
_SAY_STEERED = """
WITH steered AS (
  SELECT r.id, r.session_id, n.message_id, n.place, r.input->'said' AS said
  FROM unnest($1::uuid[], $2::uuid[]) WITH ORDINALITY AS n(run_id, message_id, place)
  JOIN runs r ON r.id = n.run_id WHERE r.input->'said' IS NOT NULL
), added AS (
  INSERT INTO messages (id, session_id, seq, role, content, currency, metadata)
  SELECT s.message_id, s.session_id,
         coalesce((SELECT max(seq) FROM messages m WHERE m.session_id = s.session_id), 0)
           + row_number() OVER (PARTITION BY s.session_id ORDER BY s.place),
         'user', s.said->>'content', s.said->>'currency', s.said->'metadata'
  FROM steered s
  RETURNING session_id
), counted AS (
  UPDATE sessions s
  SET message_count = s.message_count + n.added, last_activity_at = now(), updated_at = now()
  FROM (SELECT session_id, count(*) AS added FROM added GROUP BY session_id) n
  WHERE s.id = n.session_id
)
UPDATE runs r
SET user_message_id = s.message_id, input = r.input - 'said', updated_at = now()
FROM steered s WHERE r.id = s.id
"""

_CALL_UP = "SELECT call_up($1::uuid[])"


async def append_events(
    tx: Statements, entries: Sequence[tuple[UUID, Entry]], epochs: Mapping[UUID, int]
) -> None:
    """Add events to the journals of their runs; one that stands there already is left alone.

    `epochs`: under which epoch each of the runs is written. Where another process has taken one of
    them meanwhile nothing is stored: `is_fenced` tells that error.
    """
    await tx.execute(
        _APPEND,
        [run_id for run_id, _ in entries],
        [entry.seq for _, entry in entries],
        [entry.at for _, entry in entries],
        [dump_event(entry.event).decode() for _, entry in entries],
        list(epochs),
        list(epochs.values()),
    )


def is_fenced(error: NotNullViolationError) -> bool:
    """Whether the error says that some run of the batch is another process's now."""
    return error.table_name == "run_events" and error.column_name == "run_id"


async def start_runs(tx: Statements, runs: Sequence[tuple[UUID, str]]) -> None:
    """Move queued runs to running, with the workflow revision that they run."""
    await tx.execute(_START, [run_id for run_id, _ in runs], [revision for _, revision in runs])


async def say_steered(tx: Statements, said: Sequence[tuple[UUID, UUID]]) -> None:
    """Store the messages of runs that others take in: run and message; the sessions are held."""
    await tx.execute(_SAY_STEERED, [run_id for run_id, _ in said], [each for _, each in said])


async def call_up(tx: Statements, sessions: Sequence[UUID]) -> None:
    """Let the next run begin that waits behind the ended ones of these sessions, which are held."""
    await tx.execute(_CALL_UP, list(sessions))


async def end_runs(tx: Statements, ends: Sequence[RunEnd]) -> None:
    """Give active runs their end; one that has ended keeps it.

    One that waits has ended for those who look on, and is finished once it is answered.
    """
    await tx.execute(
        _END,
        [end.run_id for end in ends],
        [end.status for end in ends],
        [end.usage for end in ends],
        [end.error_code for end in ends],
        [end.error_message for end in ends],
    )
