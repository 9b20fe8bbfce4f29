"""The console script: quick to start, clear when it fails."""

from __future__ import annotations

import importlib
import subprocess
import sys

import pytest
import typer

from callsheet.cli import app as script
from callsheet.cli.app import COMMANDS, run
from callsheet.kit.errors import AppError, NotFound, SetupError
from tests.cli.conftest import Callsheet

HEAVY = ("crewai", "sqlalchemy", "fastapi", "asyncpg", "pydantic", "callsheet.settings")


def test_help_lists_every_command_and_loads_none(callsheet: Callsheet) -> None:
    ran = callsheet("--help")
    assert ran.status == 0
    assert all(name in ran.out for name in COMMANDS)
    code = (
        "import sys; from callsheet.cli.app import run; run(['--help']); "
        f"sys.exit(','.join(name for name in {HEAVY} if name in sys.modules) or 0)"
    )
    asked = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert (asked.returncode, asked.stderr) == (0, b"")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_of_its_own(callsheet: Callsheet, name: str) -> None:
    assert isinstance(importlib.import_module(f"callsheet.cli.{name}").app, typer.Typer)
    ran = callsheet(name, "--help")
    assert ran.status == 0
    assert f"callsheet {name}" in ran.out


def test_a_misspelt_command_is_answered_with_the_right_one(callsheet: Callsheet) -> None:
    ran = callsheet("sesions")
    assert ran.status == 2
    assert "'sessions'" in ran.err


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (SetupError("mend this"), 2),
        (NotFound("no such thing"), 1),
        (ExceptionGroup("tasks", [ExceptionGroup("inner", [SetupError("mend this")])]), 2),
    ],
)
def test_an_expected_error_is_one_line_and_a_status(
    error: Exception,
    status: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fail(**_: object) -> None:
        raise error

    monkeypatch.setattr(script, "app", fail)
    assert run(["anything"]) == status
    said = capsys.readouterr().err
    assert said in ("mend this\n", "no such thing\n")


def test_an_unexpected_error_is_not_swallowed(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(**_: object) -> None:
        raise ExceptionGroup("tasks", [AppError("expected"), KeyError("not expected")])

    monkeypatch.setattr(script, "app", fail)
    with pytest.raises(ExceptionGroup):
        run(["anything"])


def test_version_names_what_it_runs_on(callsheet: Callsheet) -> None:
    ran = callsheet("version")
    assert ran.out.startswith("callsheet 0.")
    assert "crewai 1." in ran.out
