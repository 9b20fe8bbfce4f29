"""Keeps the YAML of every revision that a run of this process begins with."""

from __future__ import annotations

from callsheet.db.transaction import Database
from callsheet.workflows.store import remember
from callsheet.workflows.workflow import Workflow


class Revisions:
    """Writes each of them once for each process."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._known: set[tuple[str, str]] = set()

    async def keep(self, workflow: Workflow) -> None:
        """Store its files, where this process has not done so yet."""
        revision = (workflow.name, workflow.revision)
        if revision in self._known:
            return
        async with self._database.transaction() as tx:
            await remember(tx, workflow)
        self._known.add(revision)
