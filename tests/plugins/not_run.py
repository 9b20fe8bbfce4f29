"""Tests that cannot run on this machine are left out and named at the end, with the reason.

`@pytest.mark.needs("chromium", "node")` says what a test needs (names: plugins/needs.py). With
CALLSHEET_TEST_ALL=1 nothing may be left out: each line then fails the run. A test that skips
itself is treated the same way, so that no skip goes unseen.

Where CALLSHEET_NOT_RUN_FILE names a file the lines go there, else into pytest's summary.
"""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from tests.plugins.needs import NEEDS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from _pytest.terminal import TerminalReporter

_KEY: Final = "callsheet_not_run"


class NotRun:
    """Counts what was left out, by part and reason; workers hand theirs to the controller."""

    def __init__(self, config: pytest.Config, *, everything: bool, file: Path | None) -> None:
        self._config = config
        self._everything = everything
        self._file = file
        self._left_out: Counter[str] = Counter()
        self._skipped: Counter[str] = Counter()
        self._is_worker = hasattr(config, "workerinput")

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        kept: list[pytest.Item] = []
        left_out: list[pytest.Item] = []
        for item in items:
            missing = _missing(item)
            if missing is None:
                kept.append(item)
            else:
                left_out.append(item)
                self._left_out[missing] += 1
        if left_out:
            items[:] = kept
            self._config.hook.pytest_deselected(items=left_out)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.skipped and not hasattr(report, "wasxfail") and not self._is_worker:
            reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else "skipped"
            self._skipped[f"{report.nodeid}: {reason.removeprefix('Skipped: ')}"] += 1

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: object, error: object) -> None:
        """Take over what a worker left out. Each collects everything: nothing is added up."""
        output: dict[str, object] = getattr(node, "workeroutput", {})
        left_out = output.get(_KEY)
        if isinstance(left_out, dict):
            self._left_out |= Counter(left_out)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self._is_worker:
            self._config.workeroutput[_KEY] = dict(self._left_out)  # type: ignore[attr-defined]  # set by xdist
            return
        passed = (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)
        if self._everything and self.lines() and session.exitstatus in passed:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        if self._file is not None:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            self._file.write_text("".join(f"{line}\n" for line in self.lines()), "utf-8")

    def pytest_terminal_summary(self, terminalreporter: TerminalReporter) -> None:
        if self._file is None and self.lines():
            terminalreporter.section("not run here")
            for line in self.lines():
                terminalreporter.write_line(line)

    def lines(self) -> list[str]:
        return [*_lines(self._left_out), *_lines(self._skipped)]


def _lines(counted: Counter[str]) -> Iterable[str]:
    for what, count in sorted(counted.items()):
        yield f"not run: {what}" + (f" ({count} tests)" if count > 1 else " (1 test)")


def _missing(item: pytest.Item) -> str | None:
    """The part that `item` belongs to and why it cannot run, or None."""
    for marker in item.iter_markers("needs"):
        for need in marker.args:
            if need not in NEEDS:
                raise pytest.UsageError(
                    f"{item.nodeid} needs {need!r}; known are {', '.join(NEEDS)}"
                )
            part, probe = NEEDS[need]
            reason = probe()
            if reason is not None:
                return f"{part}: {reason}"
    return None


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "needs(*names): what the test needs beyond Python")
    file = os.environ.get("CALLSHEET_NOT_RUN_FILE")
    everything = os.environ.get("CALLSHEET_TEST_ALL") == "1"
    plugin = NotRun(config, everything=everything, file=Path(file) if file else None)
    config.pluginmanager.register(plugin, "callsheet-not-run")
