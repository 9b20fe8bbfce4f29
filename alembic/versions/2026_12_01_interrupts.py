"""What runs wait for, and the mails that were approved."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "20261201_interrupts"
down_revision = "20261201_views"
branch_labels = None
depends_on = None

_OPEN = sa.text("status = 'open'")


def upgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '5s'")
    op.create_table(
        "interrupts",
        sa.Column("id", sa.Uuid(), server_default=sa.text("gen_random_uuid()"), nullable=False),
        sa.Column("run_id", sa.Uuid(), nullable=False),
        sa.Column("session_id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("message", sa.Text(), nullable=False),
        sa.Column("tool_call_id", sa.Text(), nullable=True),
        sa.Column("tool", sa.String(length=100), nullable=True),
        sa.Column("response_schema", postgresql.JSONB(none_as_null=True), nullable=True),
        sa.Column("detail", postgresql.JSONB(), server_default=sa.text("'{}'"), nullable=False),
        sa.Column("status", sa.Text(), server_default="open", nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("answered_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("answered_by", sa.Uuid(), nullable=True),
        sa.Column("answered_run_id", sa.Uuid(), nullable=True),
        sa.Column("answer_status", sa.Text(), nullable=True),
        sa.Column("payload", postgresql.JSONB(), nullable=True),
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
        sa.CheckConstraint(
            "reason IN ('question', 'approval', 'client_tool', 'budget')",
            name=op.f("ck_interrupts_reason"),
        ),
        sa.CheckConstraint(
            "status IN ('open', 'answered', 'closed', 'expired')",
            name=op.f("ck_interrupts_status"),
        ),
        sa.CheckConstraint(
            "answer_status IN ('resolved', 'cancelled')",
            name=op.f("ck_interrupts_answer_status"),
        ),
        sa.CheckConstraint(
            "(status = 'answered') = (answered_at IS NOT NULL)"
            " AND (status = 'answered') = (answered_run_id IS NOT NULL)"
            " AND (status = 'answered') = (answer_status IS NOT NULL)",
            name=op.f("ck_interrupts_answered"),
        ),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_interrupts_run_id")),
        sa.ForeignKeyConstraint(
            ["session_id"], ["sessions.id"], name=op.f("fk_interrupts_session_id")
        ),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_interrupts_user_id")),
        sa.ForeignKeyConstraint(
            ["answered_by"], ["users.id"], name=op.f("fk_interrupts_answered_by")
        ),
        sa.ForeignKeyConstraint(
            ["answered_run_id"], ["runs.id"], name=op.f("fk_interrupts_answered_run_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_interrupts")),
    )
    op.create_index("idx_interrupts_run", "interrupts", ["run_id", "place"], unique=False)
    op.create_index("idx_interrupts_session", "interrupts", ["session_id"], unique=False)
    op.create_index(
        "idx_interrupts_open_user",
        "interrupts",
        ["user_id", sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
        postgresql_where=_OPEN,
    )
    op.create_index(
        "idx_interrupts_open_expires",
        "interrupts",
        ["expires_at"],
        unique=False,
        postgresql_where=_OPEN,
    )
    op.create_index("idx_interrupts_answered_run", "interrupts", ["answered_run_id"], unique=False)
    op.create_index(
        "idx_runs_waiting_session",
        "runs",
        ["session_id"],
        unique=False,
        postgresql_where=sa.text("status = 'waiting_input'"),
    )
    op.create_table(
        "outbox",
        sa.Column("id", sa.Uuid(), server_default=sa.text("gen_random_uuid()"), nullable=False),
        sa.Column("tool_call_id", sa.Text(), nullable=False),
        sa.Column("run_id", sa.Uuid(), nullable=False),
        sa.Column("session_id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("recipients", postgresql.ARRAY(sa.Text()), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("sent_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_outbox_run_id")),
        sa.ForeignKeyConstraint(["session_id"], ["sessions.id"], name=op.f("fk_outbox_session_id")),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_outbox_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_outbox")),
    )
    op.create_index("uq_outbox_tool_call_id", "outbox", ["tool_call_id"], unique=True)
    op.create_index(
        "idx_outbox_unsent",
        "outbox",
        ["created_at"],
        unique=False,
        postgresql_where=sa.text("sent_at IS NULL"),
    )


def downgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '5s'")
    op.drop_table("outbox")
    op.drop_index("idx_runs_waiting_session", table_name="runs")
    op.drop_table("interrupts")
