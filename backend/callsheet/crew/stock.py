"""Crews that are kicked off before they are needed, while the event loop has nothing else to do."""

from __future__ import annotations

import asyncio
from contextvars import Context
from typing import Final

import structlog

from callsheet.crew.performance import Performance
from callsheet.crew.shell import build_shell
from callsheet.kit.errors import AppError
from callsheet.turn.ports import StageWork
from callsheet.workflows.workflow import Workflow

_log = structlog.get_logger(__name__)

Key = tuple[str, str]
"""The names of a workflow and of one of its stages."""

_LATER_S: Final = 0.02
"""A first model call is long under way by then, and its answer has mostly not begun."""


class CrewStock:
    """At most one spare crew for each stage. A crew is given out once and never comes back."""

    def __init__(self) -> None:
        self._spare: dict[Key, tuple[str, Performance]] = {}
        self._closed = False

    def spare(self, work: StageWork) -> Performance | None:
        """The spare crew of the stage; None where there is none of this revision that waits."""
        self._drop_others(work.workflow)
        _, performance = self._spare.pop(_key(work), (None, None))
        if performance is None or performance.waits:
            return performance
        performance.stop()
        return None

    def refill_soon(self, work: StageWork) -> None:
        """See to it that there is a spare one again."""
        asyncio.get_running_loop().call_later(_LATER_S, self.refill, work)

    def refill(self, work: StageWork) -> None:
        """Kick the next spare one off, where there is none."""
        if self._closed or _key(work) in self._spare:
            return
        try:
            shell = build_shell(work.stage)
        except AppError as error:  # the run that needs it will say so
            _log.warning("crew_not_built", stage=work.stage.name, error=str(error))
            return
        performance = Performance(shell, work.stage.name, Context())
        self._spare[_key(work)] = (work.workflow.revision, performance)

    def _drop_others(self, workflow: Workflow) -> None:
        """Stop those of other revisions, also of stages that this one has no more."""
        for key, (revision, performance) in list(self._spare.items()):
            if key[0] == workflow.name and revision != workflow.revision:
                performance.stop()
                del self._spare[key]

    def close(self) -> None:
        """Stop those that wait; no more are made."""
        self._closed = True
        for _, performance in self._spare.values():
            performance.stop()
        self._spare.clear()


def _key(work: StageWork) -> Key:
    return work.workflow.name, work.stage.name
