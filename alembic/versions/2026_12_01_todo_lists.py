"""The steps that agents have set themselves."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "20261201_todo_lists"
down_revision = "20261201_artifacts"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '5s'")
    op.create_table(
        "session_todo_lists",
        sa.Column("id", sa.Uuid(), server_default=sa.text("gen_random_uuid()"), nullable=False),
        sa.Column("session_id", sa.Uuid(), nullable=False),
        sa.Column("run_id", sa.Uuid(), nullable=False),
        sa.Column("tool_call_id", sa.Text(), nullable=False),
        sa.Column("title", sa.String(length=255), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
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
            "status IN ('active', 'completed', 'archived')",
            name=op.f("ck_session_todo_lists_status"),
        ),
        sa.CheckConstraint("revision >= 1", name=op.f("ck_session_todo_lists_revision")),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_session_todo_lists_run_id")),
        sa.ForeignKeyConstraint(
            ["session_id"], ["sessions.id"], name=op.f("fk_session_todo_lists_session_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_session_todo_lists")),
        sa.UniqueConstraint("session_id", name=op.f("uq_session_todo_lists_session_id")),
    )
    op.create_table(
        "session_todo_items",
        sa.Column("id", sa.Uuid(), server_default=sa.text("gen_random_uuid()"), nullable=False),
        sa.Column("list_id", sa.Uuid(), nullable=False),
        sa.Column("label", sa.String(length=500), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("order_index", sa.Integer(), nullable=False),
        sa.CheckConstraint(
            "status IN ('pending', 'running', 'completed')",
            name=op.f("ck_session_todo_items_status"),
        ),
        sa.CheckConstraint("order_index >= 0", name=op.f("ck_session_todo_items_order_index")),
        sa.ForeignKeyConstraint(
            ["list_id"],
            ["session_todo_lists.id"],
            name=op.f("fk_session_todo_items_list_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_session_todo_items")),
        sa.UniqueConstraint(
            "list_id", "order_index", name=op.f("uq_session_todo_items_list_id_order_index")
        ),
    )
    op.create_index(
        "uq_session_todo_items_running",
        "session_todo_items",
        ["list_id"],
        unique=True,
        postgresql_where=sa.text("status = 'running'"),
    )


def downgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '5s'")
    op.drop_table("session_todo_items")
    op.drop_table("session_todo_lists")
