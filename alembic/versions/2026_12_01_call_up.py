"""A run behind another that is being ended meanwhile is not called up; one that is may expire.

Else the first would be both: begun, with its message said, and ended as one whose time never came;
and the second would wait for a worker for ever.
"""

from __future__ import annotations

from alembic import op

revision = "20261201_call_up"
down_revision = "20261201_behind"
branch_labels = None
depends_on = None

# Whoever ends such a run takes it first, which is what `worker_id` tells; it is looked at again
# under the lock that the taking waits for.
_CALL_UP = """
CREATE OR REPLACE FUNCTION call_up(session_ids uuid[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  next record;
  said_id uuid;
BEGIN
  IF NOT EXISTS (SELECT FROM runs r
                 WHERE r.session_id = ANY(session_ids) AND r.behind AND r.status = 'queued') THEN
    RETURN;
  END IF;
  FOR next IN
    SELECT DISTINCT ON (r.session_id) r.id, r.session_id, r.priority, r.input->'said' AS said
    FROM runs r
    WHERE r.session_id = ANY(session_ids) AND r.behind AND r.status = 'queued'{waits}
      AND NOT EXISTS (SELECT FROM runs a WHERE a.session_id = r.session_id AND (
        a.status = 'waiting_input' OR (a.status IN ('queued', 'running') AND NOT a.behind)))
    ORDER BY r.session_id, r.created_at, r.id
  LOOP{once_more}
    said_id := (next.said->>'id')::uuid;
    IF EXISTS (SELECT FROM messages m WHERE m.id = said_id) THEN
      said_id := gen_random_uuid();
    END IF;
    INSERT INTO messages (id, session_id, seq, role, content, currency, metadata)
    SELECT said_id, next.session_id, coalesce(max(m.seq), 0) + 1, 'user', next.said->>'content',
           next.said->>'currency', next.said->'metadata'
    FROM messages m WHERE m.session_id = next.session_id;
    UPDATE runs SET behind = false, user_message_id = said_id, input = input - 'said',
                    updated_at = now(){expires}
    WHERE id = next.id;
    UPDATE sessions
    SET status = 'pending', message_count = message_count + 1, last_activity_at = now(),
        updated_at = now()
    WHERE id = next.session_id;
    INSERT INTO pgqueuer (priority, entrypoint, payload, dedupe_key, status)
    VALUES (next.priority, 'run', uuid_send(next.id), next.id::text, 'queued')
    ON CONFLICT DO NOTHING;
  END LOOP;
END $$
"""
_ONCE_MORE = """
    PERFORM FROM runs r
    WHERE r.id = next.id AND r.behind AND r.status = 'queued' AND r.worker_id IS NULL FOR UPDATE;
    CONTINUE WHEN NOT FOUND;"""

_EXPIRES = """,
      expires_at = now() + make_interval(secs => (next.said->>'waiting_s')::float8)"""


def upgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '5s'")
    waits = " AND r.worker_id IS NULL"
    op.execute(_CALL_UP.format(waits=waits, once_more=_ONCE_MORE, expires=_EXPIRES))


def downgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '5s'")
    op.execute(_CALL_UP.format(waits="", once_more="", expires=""))
