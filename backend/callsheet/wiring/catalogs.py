"""What the API tells of workflows."""

from __future__ import annotations

from collections.abc import Sequence

from callsheet.kit.errors import Problem
from callsheet.workflows.live import LiveWorkflows
from callsheet.workflows.workflow import Workflow


class WorkflowService:
    """The active workflows of a process, with the name of the one that runs by default."""

    def __init__(self, workflows: LiveWorkflows, default: str) -> None:
        self._workflows = workflows
        self._default = default

    @property
    def default(self) -> str:
        """The workflow of a request that names none."""
        return self._default

    async def refresh(self) -> None:
        """Take in what was edited on disk."""
        await self._workflows.refresh()

    def names(self) -> Sequence[str]:
        """The names of all active workflows."""
        return self._workflows.names()

    def get(self, name: str) -> Workflow:
        """The active revision; raises NotFound."""
        return self._workflows.get(name)

    def problems(self) -> Sequence[Problem]:
        """Why the files on disk are not what runs; empty where they are."""
        return self._workflows.problems()
