"""Commands run in this process, in a folder of their own, with an environment of their own."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import structlog

from callsheet.cli import console
from callsheet.cli.app import run


@dataclass(frozen=True, slots=True)
class Ran:
    """What a command did."""

    status: int
    out: str
    err: str


Callsheet = Callable[..., Ran]


@pytest.fixture
def callsheet(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Callsheet]:
    """Run `callsheet <arguments>`; without a variable of ours but the data folder."""
    for name in [name for name in os.environ if name.startswith("CALLSHEET_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("CALLSHEET_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(console.OUT, "_width", 200)
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level

    def call(*arguments: str) -> Ran:
        capsys.readouterr()
        status = run(arguments)
        said = capsys.readouterr()
        return Ran(status, said.out, said.err)

    yield call
    structlog.reset_defaults()
    logging.captureWarnings(capture=False)
    root.handlers[:] = handlers
    root.setLevel(level)


@pytest.fixture
def deployed(callsheet: Callsheet, database_url: str, monkeypatch: pytest.MonkeyPatch) -> Callsheet:
    """The same, with a migrated database that is empty."""
    monkeypatch.setenv("CALLSHEET_DATABASE__URL", database_url)
    return callsheet
