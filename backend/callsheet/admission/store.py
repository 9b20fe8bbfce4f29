"""The SQL that lets a run in, in one go, where nothing is in its way."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final

from callsheet.admission.admitted import AdmissionRequest, Ticket
from callsheet.admission.full import MOST_COST, MOST_TOKENS
from callsheet.db.joined import Joined
from callsheet.kit.json import decode, encode
from callsheet.sessions.settings import SessionSettings

_CLAIM: Final = """
INSERT INTO sessions (id, user_id, title) VALUES ($1::uuid, $2::uuid, $3::text)
ON CONFLICT (id) DO UPDATE SET updated_at = now()
WHERE sessions.user_id = excluded.user_id AND sessions.deleted_at IS NULL
"""

# The run's first events, which follow at once, are written through to the disk, and this with
# them; nobody is told anything before. So the disk is waited for once, not twice.
_NOT_YET_DURABLE: Final = "SELECT set_config('synchronous_commit', 'off', true)"

_LET_IN: Final = """
WITH mine AS (
  SELECT s.id FROM sessions s
  WHERE s.id = $1::uuid AND s.user_id = $2::uuid AND s.deleted_at IS NULL
    AND s.total_tokens < $17::int AND s.total_cost < $18::numeric
    AND NOT EXISTS (
      SELECT 1 FROM runs r WHERE r.id = $3::uuid
        OR (r.session_id = $1 AND r.status IN ('queued', 'running'))
        OR (r.session_id = $1 AND r.status = 'waiting_input'))
), said AS (
  INSERT INTO messages (id, session_id, seq, role, content, currency, metadata)
  SELECT $4::uuid, m.id,
         coalesce((SELECT max(seq) FROM messages WHERE session_id = m.id), 0) + 1,
         'user', $5::text, $6::text, $7::text::jsonb
  FROM mine m
  ON CONFLICT (id) DO NOTHING
  RETURNING id, session_id
), let_in AS (
  INSERT INTO runs (id, session_id, user_id, workflow, status, raw_run_id, raw_thread_id,
                    parent_run_id, user_message_id, protocol, worker_id, trace_id, input,
                    priority)
  SELECT $3, s.session_id, $2, $8::text, 'queued', $9::text, $10::text,
         (SELECT p.id FROM runs p WHERE p.id = $11::uuid AND p.user_id = $2),
         s.id, $12::text, $13::text, $14::text, $15::text::jsonb, $19::int
  FROM said s
  RETURNING session_id
)
UPDATE sessions s
SET message_count = s.message_count + 1, last_activity_at = now(), updated_at = now(),
    title = coalesce(s.title, $16::text), status = 'pending'
FROM let_in WHERE s.id = let_in.session_id
"""

# A run of this very transaction: an older one of the same id was made at another moment.
_LET_IN_AS: Final = """
SELECT jsonb_build_object('seq', m.seq, 'tokens', s.total_tokens, 'cost', s.total_cost::text,
                          'mode', t.mode, 'persona', t.persona, 'budget', t.budget::text)
FROM runs r JOIN messages m ON m.id = r.user_message_id JOIN sessions s ON s.id = r.session_id
LEFT JOIN session_settings t ON t.session_id = r.session_id
WHERE r.id = $1::uuid AND r.session_id = $2::uuid AND r.user_id = $3::uuid
  AND r.created_at = now()
"""


async def let_in_at_once(
    tx: Joined, request: AdmissionRequest, *, worker_id: str, currency: str, title: str
) -> Ticket | None:
    """Make or take the session, store message and run.

    None where anything was in the way: then nothing of the run is stored, and who wants to know
    what it was has to look.
    """
    await tx.execute(_NOT_YET_DURABLE)
    await tx.execute(_CLAIM, request.session_id, request.user_id, title)
    await tx.execute(
        _LET_IN,
        request.session_id,
        request.user_id,
        request.run_id,
        request.message_id,
        request.text,
        currency,
        encode(request.message_metadata).decode(),
        request.workflow,
        request.raw_run_id,
        request.raw_thread_id,
        request.parent_run_id,
        request.protocol,
        worker_id,
        request.trace_id,
        encode(request.input).decode(),
        title,
        MOST_TOKENS,
        MOST_COST,
        request.priority,
    )
    tx.give(_LET_IN_AS, request.run_id, request.session_id, request.user_id)
    given = await tx.run()
    if given is None:
        return None
    found = decode(given)
    return Ticket(
        request.run_id,
        request.session_id,
        request.message_id,
        is_new=True,
        is_first=found["seq"] == 1,
        total_tokens=found["tokens"],
        total_cost=Decimal(found["cost"]),
        settings=_settings(found),
    )


def _settings(found: Mapping[str, Any]) -> SessionSettings:
    budget = found["budget"]
    return SessionSettings(
        mode=found["mode"] or "full",
        persona=found["persona"],
        budget=None if budget is None else Decimal(budget),
    )
