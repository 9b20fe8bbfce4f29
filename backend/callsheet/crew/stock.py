"""Crews that are built before they are needed, while the event loop has nothing else to do."""

from __future__ import annotations

from callsheet.crew.shell import Shell, build_shell
from callsheet.turn.ports import StageWork

Key = tuple[str, str]
"""The names of a workflow and of one of its stages."""


class CrewStock:
    """At most one spare crew for each stage. A crew is given out once and never comes back."""

    def __init__(self) -> None:
        self._spare: dict[Key, tuple[str, Shell]] = {}

    def take(self, work: StageWork) -> Shell:
        """The spare one, or a new one where there is none of this revision.

        Raises:
            TurnFailed: see `build_shell`.
        """
        revision, shell = self._spare.pop(_key(work), (None, None))
        if shell is not None and revision == work.workflow.revision:
            return shell
        return build_shell(work.stage)

    def refill(self, work: StageWork) -> None:
        """Build the next spare one, where there is none."""
        if _key(work) not in self._spare:
            self._spare[_key(work)] = (work.workflow.revision, build_shell(work.stage))


def _key(work: StageWork) -> Key:
    return work.workflow.name, work.stage.name
