"""Runs, their journal and the workflow revisions they ran with."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "20261130_runs"
down_revision = "20261130_conversations"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '5s'")
    op.create_table(
        "workflow_revisions",
        sa.Column("id", sa.Uuid(), server_default=sa.text("gen_random_uuid()"), nullable=False),
        sa.Column("workflow", sa.String(length=100), nullable=False),
        sa.Column("revision", sa.String(length=64), nullable=False),
        sa.Column("files", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_workflow_revisions")),
        sa.UniqueConstraint(
            "workflow", "revision", name=op.f("uq_workflow_revisions_workflow_revision")
        ),
    )
    op.create_table(
        "runs",
        sa.Column("id", sa.Uuid(), server_default=sa.text("gen_random_uuid()"), nullable=False),
        sa.Column("session_id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("workflow", sa.String(length=100), nullable=False),
        sa.Column("revision", sa.String(length=64), nullable=True),
        sa.Column("status", sa.Text(), server_default="queued", nullable=False),
        sa.Column("raw_run_id", sa.Text(), nullable=False),
        sa.Column("raw_thread_id", sa.Text(), nullable=False),
        sa.Column("parent_run_id", sa.Uuid(), nullable=True),
        sa.Column("user_message_id", sa.Uuid(), nullable=True),
        sa.Column("protocol", sa.Text(), server_default="0.x", nullable=False),
        sa.Column("worker_id", sa.Text(), nullable=True),
        sa.Column("lease_epoch", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("error_code", sa.Text(), nullable=True),
        sa.Column("error_message", sa.Text(), nullable=True),
        sa.Column("trace_id", sa.Text(), nullable=True),
        sa.Column(
            "input", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=True
        ),
        sa.Column(
            "usage", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=True
        ),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.Column(
            "updated_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.CheckConstraint("protocol IN ('0.x', '1.0')", name=op.f("ck_runs_protocol")),
        sa.CheckConstraint(
            "status IN ('queued', 'running', 'waiting_input', 'succeeded', 'failed', "
            "'cancelled', 'interrupted')",
            name=op.f("ck_runs_status"),
        ),
        sa.CheckConstraint("lease_epoch >= 0", name=op.f("ck_runs_lease_epoch")),
        sa.ForeignKeyConstraint(["parent_run_id"], ["runs.id"], name=op.f("fk_runs_parent_run_id")),
        sa.ForeignKeyConstraint(["session_id"], ["sessions.id"], name=op.f("fk_runs_session_id")),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_runs_user_id")),
        sa.ForeignKeyConstraint(
            ["user_message_id"], ["messages.id"], name=op.f("fk_runs_user_message_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_runs")),
    )
    op.create_index(
        "idx_runs_session_created",
        "runs",
        ["session_id", sa.literal_column("created_at DESC")],
        unique=False,
    )
    op.create_index(
        "uq_runs_active_session",
        "runs",
        ["session_id"],
        unique=True,
        postgresql_where=sa.text("status IN ('queued', 'running')"),
    )
    op.create_table(
        "run_events",
        sa.Column("run_id", sa.Uuid(), nullable=False),
        sa.Column("seq", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column(
            "at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False
        ),
        sa.Column("event", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.CheckConstraint("seq >= 1", name=op.f("ck_run_events_seq")),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_run_events_run_id")),
        sa.PrimaryKeyConstraint("run_id", "seq", name=op.f("pk_run_events")),
    )


def downgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '5s'")
    op.drop_table("run_events")
    op.drop_table("runs")
    op.drop_table("workflow_revisions")
