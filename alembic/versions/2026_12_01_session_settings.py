"""What users set for their conversations."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "20261201_session_settings"
down_revision = "20261201_leases"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '5s'")
    op.create_table(
        "session_settings",
        sa.Column("session_id", sa.Uuid(), nullable=False),
        sa.Column("pinned_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("mode", sa.Text(), server_default="full", nullable=False),
        sa.Column("persona", sa.Text(), nullable=True),
        sa.Column("budget", sa.Numeric(precision=12, scale=6), nullable=True),
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
        sa.CheckConstraint("mode IN ('full', 'plan')", name=op.f("ck_session_settings_mode")),
        sa.CheckConstraint("budget >= 0", name=op.f("ck_session_settings_budget")),
        sa.ForeignKeyConstraint(
            ["session_id"], ["sessions.id"], name=op.f("fk_session_settings_session_id")
        ),
        sa.PrimaryKeyConstraint("session_id", name=op.f("pk_session_settings")),
    )


def downgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '5s'")
    op.drop_table("session_settings")
