"""Revisions are kept as they were, once each."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from callsheet.db.transaction import Database
from callsheet.workflows.loader import load_workflow
from callsheet.workflows.store import recall, remember
from tests.workflows.sample import FILES, KNOWN, write


async def test_the_files_of_a_revision_can_be_had_back(database: Database, tmp_path: Path) -> None:
    workflow = load_workflow(write(tmp_path / "letters"), KNOWN)

    for _ in range(2):
        async with database.transaction() as tx:
            await remember(tx, workflow)
    async with database.transaction() as tx:
        await remember(tx, replace(workflow, files={"workflow.yaml": "another text"}))

    async with database.read() as read:
        assert await recall(read, "letters", workflow.revision) == FILES
        assert await recall(read, "letters", "0" * 64) is None
        assert await recall(read, "notes", workflow.revision) is None


async def test_the_files_that_come_back_make_the_same_workflow(
    database: Database, tmp_path: Path
) -> None:
    workflow = load_workflow(write(tmp_path / "letters"), KNOWN)
    async with database.transaction() as tx:
        await remember(tx, workflow)

    async with database.read() as read:
        files = await recall(read, workflow.name, workflow.revision)

    assert files is not None
    assert load_workflow(write(tmp_path / "again" / "letters", files), KNOWN) == workflow
