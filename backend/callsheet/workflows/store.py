"""The SQL of `workflow_revisions`."""

from __future__ import annotations

from sqlalchemy.dialects.postgresql import insert

from callsheet.db.tables.workflow_revision import WorkflowRevision
from callsheet.db.transaction import Tx
from callsheet.kit.ids import new_id
from callsheet.workflows.workflow import Workflow


async def remember(tx: Tx, workflow: Workflow) -> None:
    """Keep the files of the revision; once kept it stays as it is."""
    row = insert(WorkflowRevision).values(
        id=new_id(),
        workflow=workflow.name,
        revision=workflow.revision,
        files=dict(workflow.files),
    )
    await tx.execute(row.on_conflict_do_nothing(index_elements=["workflow", "revision"]))
