"""Which processes are up, and a journal that only one of them may write."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "20261201_leases"
down_revision = "20261201_continuation"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '5s'")
    op.create_table(
        "workers",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("lock_key", sa.Integer(), nullable=False),
        sa.Column("lease_ms", sa.Integer(), nullable=False),
        sa.Column(
            "started_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.Column(
            "heartbeat_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.Column("draining", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.CheckConstraint(
            "kind IN ('serve', 'api', 'worker', 'command')", name=op.f("ck_workers_kind")
        ),
        sa.CheckConstraint("lease_ms > 0", name=op.f("ck_workers_lease_ms")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_workers")),
    )
    op.drop_constraint("fk_run_events_run_id", "run_events", type_="foreignkey")


def downgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '5s'")
    op.create_foreign_key("fk_run_events_run_id", "run_events", "runs", ["run_id"], ["id"])
    op.drop_table("workers")
