"""The SQL of `workflow_revisions`."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert

from callsheet.db.tables.workflow_revision import WorkflowRevision
from callsheet.db.transaction import Read, Tx
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


async def files_of(tx: Read, workflow: str, revision: str) -> Mapping[str, str] | None:
    """The files of a revision that some run was begun with, None where it was not kept."""
    query = select(WorkflowRevision.files).where(
        WorkflowRevision.workflow == workflow, WorkflowRevision.revision == revision
    )
    found: Mapping[str, str] | None = (await tx.execute(query)).scalar_one_or_none()
    return found
