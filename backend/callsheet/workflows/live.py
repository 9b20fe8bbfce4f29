"""The workflows of a running process: an edit takes effect, a broken one changes nothing."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from callsheet.kit.clock import Clock
from callsheet.kit.errors import ConfigError, NotFound, Problem
from callsheet.kit.log import get_log
from callsheet.kit.yaml_words import closest
from callsheet.workflows.draft import Known
from callsheet.workflows.folder import Folder, folders, paths, read_folder
from callsheet.workflows.loader import build
from callsheet.workflows.revision import revision_of
from callsheet.workflows.workflow import Workflow

log = get_log(__name__)

_YOUNG_S: Final = 1.0

Marks = tuple[tuple[str, int, int, int], ...]


@dataclass(frozen=True, slots=True)
class _Seen:
    """One folder as it was looked at. `marks` None: look again, it may just be being written."""

    marks: Marks | None
    revision: str
    workflow: Workflow | None
    problems: tuple[Problem, ...] = ()


class LiveWorkflows:
    """The active revision of every folder in `crews/`.

    `get` and `names` only read memory. `refresh` looks at the folders and must be awaited before
    a turn takes its workflow. A run keeps the `Workflow` that it was given.
    """

    def __init__(
        self, root: Path, known: Known, clock: Clock, *, scan_every_s: float = 0.1
    ) -> None:
        """Nothing is read yet; `load` is what makes one."""
        self._root = root
        self._known = known
        self._clock = clock
        self._scan_every_s = scan_every_s
        self._next_scan = 0.0
        self._seen: Mapping[str, _Seen] = {}
        self._root_problems: tuple[Problem, ...] = ()
        self._scanning = threading.Lock()  # guards against two scans at a time

    @classmethod
    def load(
        cls, root: Path, known: Known, clock: Clock, *, scan_every_s: float = 0.1
    ) -> LiveWorkflows:
        """All of them, from disk.

        Raises:
            ConfigError: every problem of every folder; a start is refused then.
        """
        live = cls(root, known, clock, scan_every_s=scan_every_s)
        live._scan(first=True)
        if problems := live.problems():
            raise ConfigError(problems)
        return live

    def get(self, name: str) -> Workflow:
        """The active revision; raises NotFound where no folder of that name is active."""
        seen = self._seen.get(name)
        if seen is None or seen.workflow is None:
            near = closest(name, self.names())
            hint = f" Did you mean {near!r}?" if near else ""
            raise NotFound(f"There is no workflow {name[:64]!r}.{hint}", code="unknown_workflow")
        return seen.workflow

    def __contains__(self, name: str) -> bool:
        """Whether a workflow of that name is active."""
        seen = self._seen.get(name)
        return seen is not None and seen.workflow is not None

    def names(self) -> Sequence[str]:
        """The names of all active workflows, sorted."""
        return sorted(name for name, seen in self._seen.items() if seen.workflow is not None)

    def models(self) -> frozenset[str]:
        """The model codes of all agents of all active workflows."""
        active = [seen.workflow for seen in self._seen.values() if seen.workflow is not None]
        return frozenset(
            agent.default_model
            for workflow in active
            for stage in workflow.stages
            for agent in stage.agents.values()
        )

    def tools(self) -> frozenset[str]:
        """The names of all tools that an agent of an active workflow may use."""
        active = [seen.workflow for seen in self._seen.values() if seen.workflow is not None]
        return frozenset(
            tool
            for workflow in active
            for stage in workflow.stages
            for agent in stage.agents.values()
            for tool in agent.tools
        )

    def problems(self) -> Sequence[Problem]:
        """What is wrong with the files as they are now; empty when every edit is active."""
        found = [problem for name in sorted(self._seen) for problem in self._seen[name].problems]
        return [*self._root_problems, *found]

    def latest(self, workflow: Workflow) -> Workflow:
        """The revision of it that is active now; itself where its folder has gone since."""
        seen = self._seen.get(workflow.name)
        return workflow if seen is None or seen.workflow is None else seen.workflow

    def rebuilt(self, name: str, revision: str, files: Mapping[str, str]) -> Workflow:
        """An earlier revision, from the files that were kept of it; takes a while, touches nothing.

        Raises:
            ConfigError: it names what is not there any more: a model, a tool.
        """
        kept = {path: text.encode() for path, text in files.items()}
        workflow = build(Folder(name, f"{name}@{revision[:12]}", kept), self._known)
        return replace(workflow, revision=revision)

    async def refresh(self) -> None:
        """Take in what was edited; a look at the disk at most every `scan_every_s`."""
        await self.look()

    def look(self) -> Awaitable[None]:
        """`refresh` that begins at once, in a thread: the caller goes on and awaits it later."""
        if self._clock.monotonic() < self._next_scan:
            return asyncio.sleep(0)
        return asyncio.get_running_loop().run_in_executor(None, self.refresh_now)

    def refresh_now(self) -> None:
        """`refresh` for callers without an event loop. Another scan under way is enough."""
        if self._scanning.acquire(blocking=False):
            try:
                self._scan(first=False)
            finally:
                self._scanning.release()

    def _scan(self, *, first: bool) -> None:
        self._next_scan = self._clock.monotonic() + self._scan_every_s
        # An unmounted, closed or emptied root takes no workflow away from a running process.
        try:
            there, missing = folders(self._root), "holds no workflow"
        except OSError as error:
            there, missing = [], f"cannot be read: {error.strerror}"
        if not there:
            self._root_problems = (Problem(str(self._root), 0, 0, missing),)
            return
        self._root_problems = ()
        now = {folder.name: self._look(folder, first=first) for folder in there}
        for name in self._seen.keys() - now.keys():
            log.info("workflow_removed", workflow=name)
        self._seen = now

    def _look(self, folder: Path, *, first: bool) -> _Seen:
        before = self._seen.get(folder.name)
        active = before.workflow if before else None
        try:
            marks = self._marks(folder)
            if before is not None and before.marks is not None and before.marks == marks:
                return before
            files = read_folder(folder)
        except ConfigError as error:
            return self._refused(folder, before, error.problems, "unreadable", None, first=first)
        except OSError as error:  # a file went away between two looks
            problem = Problem(str(folder), 0, 0, f"cannot be read: {error.strerror}")
            return self._refused(folder, before, (problem,), "unreadable", None, first=first)
        revision = revision_of(files.files)
        if before is not None and before.revision == revision:
            return _Seen(marks, revision, active, before.problems)
        try:
            workflow = build(files, self._known)
        except ConfigError as error:
            return self._refused(folder, before, error.problems, revision, marks, first=first)
        if not first:
            log.info("workflow_changed", workflow=folder.name, revision=revision)
        return _Seen(marks, revision, workflow)

    def _refused(
        self,
        folder: Path,
        before: _Seen | None,
        problems: Sequence[Problem],
        revision: str,
        marks: Marks | None,
        *,
        first: bool,
    ) -> _Seen:
        active = before.workflow if before else None
        is_new = before is None or before.revision != revision
        if is_new and not first:
            log.error(
                "workflow_edit_refused",
                workflow=folder.name,
                still_active=active.revision if active else None,
                problems=[str(problem) for problem in problems],
            )
        return _Seen(marks, revision, active, tuple(problems))

    def _marks(self, folder: Path) -> Marks | None:
        """What tells a changed folder from an unchanged one without reading it.

        None while its newest file is so young that a further write might leave the same marks.
        """
        marks = []
        for path in paths(folder):
            stat = path.stat()
            marks.append((str(path), stat.st_mtime_ns, stat.st_size, stat.st_ino))
        newest = max((mark[1] for mark in marks), default=0) / 1e9
        is_young = self._clock.now().timestamp() - newest < _YOUNG_S
        return None if is_young else tuple(marks)
