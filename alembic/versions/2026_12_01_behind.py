"""Runs that wait for their session's active run to end, and how the next one is called up."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "20261201_behind"
down_revision = "20261201_queue"
branch_labels = None
depends_on = None

_ACTIVE = "status IN ('queued', 'running')"

# Called where a run ends, in the transaction of that end, with the session's row held: most
# sessions have nothing waiting, which one look at a small index tells. The message was kept with
# the run until now, so that it stands behind what was said since it came.
_CALL_UP = """
CREATE FUNCTION call_up(session_ids uuid[]) RETURNS void LANGUAGE plpgsql AS $$
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
    WHERE r.session_id = ANY(session_ids) AND r.behind AND r.status = 'queued'
      AND NOT EXISTS (SELECT FROM runs a WHERE a.session_id = r.session_id AND (
        a.status = 'waiting_input' OR (a.status IN ('queued', 'running') AND NOT a.behind)))
    ORDER BY r.session_id, r.created_at, r.id
  LOOP
    said_id := (next.said->>'id')::uuid;
    IF EXISTS (SELECT FROM messages m WHERE m.id = said_id) THEN
      said_id := gen_random_uuid();
    END IF;
    INSERT INTO messages (id, session_id, seq, role, content, currency, metadata)
    SELECT said_id, next.session_id, coalesce(max(m.seq), 0) + 1, 'user', next.said->>'content',
           next.said->>'currency', next.said->'metadata'
    FROM messages m WHERE m.session_id = next.session_id;
    UPDATE runs SET behind = false, user_message_id = said_id, input = input - 'said',
                    updated_at = now()
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


def upgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '5s'")
    op.add_column(
        "runs", sa.Column("behind", sa.Boolean(), server_default=sa.text("false"), nullable=False)
    )
    op.drop_index("uq_runs_active_session", table_name="runs")
    op.create_index(
        "uq_runs_active_session",
        "runs",
        ["session_id"],
        unique=True,
        postgresql_where=sa.text(f"{_ACTIVE} AND NOT behind"),
    )
    op.create_index(
        "idx_runs_behind",
        "runs",
        ["session_id", "created_at"],
        postgresql_where=sa.text("behind AND status = 'queued'"),
    )
    op.execute(_CALL_UP)


def downgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '5s'")
    op.execute("DROP FUNCTION call_up")
    # A session has one active run from here on: what waits behind it cannot stay.
    op.execute(
        "UPDATE runs SET status = 'cancelled', finished_at = now() "
        "WHERE behind AND status IN ('queued', 'running')"
    )
    op.drop_index("idx_runs_behind", table_name="runs")
    op.drop_index("uq_runs_active_session", table_name="runs")
    op.create_index(
        "uq_runs_active_session",
        "runs",
        ["session_id"],
        unique=True,
        postgresql_where=sa.text(_ACTIVE),
    )
    op.drop_column("runs", "behind")
