"""Revisions are kept as they were, once each."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from callsheet.db.transaction import Database
from callsheet.workflows.loader import load_workflow
from callsheet.workflows.store import remember
from tests.sessions.rows import rows
from tests.workflows.sample import FILES, KNOWN, write


async def test_the_files_of_a_revision_can_be_had_back(database: Database, tmp_path: Path) -> None:
    workflow = load_workflow(write(tmp_path / "letters"), KNOWN)

    for _ in range(2):
        async with database.transaction() as tx:
            await remember(tx, workflow)
    async with database.transaction() as tx:
        await remember(tx, replace(workflow, files={"workflow.yaml": "another text"}))

    assert await rows(database, "SELECT workflow, revision, files FROM workflow_revisions") == [
        ("letters", workflow.revision, FILES)
    ]


async def test_the_files_that_come_back_make_the_same_workflow(
    database: Database, tmp_path: Path
) -> None:
    workflow = load_workflow(write(tmp_path / "letters"), KNOWN)
    async with database.transaction() as tx:
        await remember(tx, workflow)

    [(files,)] = await rows(database, "SELECT files FROM workflow_revisions")

    assert load_workflow(write(tmp_path / "again" / "letters", files), KNOWN) == workflow
