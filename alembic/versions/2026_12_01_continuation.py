"""Runs that go on from another run."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "20261201_continuation"
down_revision = "20261201_interrupts"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '5s'")
    op.add_column("runs", sa.Column("continues_run_id", sa.Uuid(), nullable=True))
    op.add_column("runs", sa.Column("root_run_id", sa.Uuid(), nullable=True))
    op.create_foreign_key(
        op.f("fk_runs_continues_run_id_runs"), "runs", "runs", ["continues_run_id"], ["id"]
    )
    op.create_foreign_key(op.f("fk_runs_root_run_id_runs"), "runs", "runs", ["root_run_id"], ["id"])
    op.create_check_constraint(
        op.f("ck_runs_chain"), "runs", "(continues_run_id IS NULL) = (root_run_id IS NULL)"
    )
    op.create_index(
        "uq_runs_continues",
        "runs",
        ["continues_run_id"],
        unique=True,
        postgresql_where=sa.text("continues_run_id IS NOT NULL"),
    )
    op.create_index(
        "idx_runs_root",
        "runs",
        ["root_run_id"],
        postgresql_where=sa.text("root_run_id IS NOT NULL"),
    )


def downgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '5s'")
    op.drop_index("idx_runs_root", table_name="runs")
    op.drop_index("uq_runs_continues", table_name="runs")
    op.drop_constraint(op.f("ck_runs_chain"), "runs", type_="check")
    op.drop_constraint(op.f("fk_runs_root_run_id_runs"), "runs", type_="foreignkey")
    op.drop_constraint(op.f("fk_runs_continues_run_id_runs"), "runs", type_="foreignkey")
    op.drop_column("runs", "root_run_id")
    op.drop_column("runs", "continues_run_id")
