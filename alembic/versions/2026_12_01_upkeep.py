"""What is left of a run's journal: old ones are packed, and later removed."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "20261201_upkeep"
down_revision = "20261201_session_settings"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '5s'")
    op.add_column("runs", sa.Column("journal", sa.Text(), server_default="whole", nullable=False))
    op.create_check_constraint(
        op.f("ck_runs_journal"), "runs", "journal IN ('whole', 'packed', 'gone')"
    )
    op.create_index(
        "idx_runs_journal_finished",
        "runs",
        ["journal", "finished_at"],
        postgresql_where=sa.text("journal <> 'gone'"),
    )


def downgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '5s'")
    op.drop_index("idx_runs_journal_finished", table_name="runs")
    op.drop_column("runs", "journal")
