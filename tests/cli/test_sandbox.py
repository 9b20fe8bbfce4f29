"""`callsheet sandbox`: the image, and programs in it."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Callsheet

NOWHERE = "unix:///nowhere/docker.sock"


@pytest.mark.needs("docker")
def test_an_image_that_is_there_is_said(callsheet: Callsheet) -> None:
    ran = callsheet("sandbox", "build")

    assert ran.status == 0, ran.err
    assert ran.out.startswith("callsheet-sandbox:")
    assert "It is there already" in ran.err


def test_without_an_engine_it_says_so(
    callsheet: Callsheet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CALLSHEET_SANDBOX__DOCKER_HOST", NOWHERE)

    ran = callsheet("sandbox", "build")

    assert ran.status == 2
    assert ran.err.strip() == "No Docker engine: there is no socket /nowhere/docker.sock."


def test_a_way_that_is_none_is_refused(callsheet: Callsheet) -> None:
    ran = callsheet("sandbox", "build", "--way", "magic")

    assert ran.status == 2
    assert "auto, dockerfile, packages" in ran.err


PROGRAM = """
import sys
print('out')
print('err', file=sys.stderr)
open('made.csv', 'w').write('a,b')
sys.exit(3)
"""


@pytest.mark.needs("docker")
def test_a_program_passes_on_its_output_its_files_and_its_status(
    callsheet: Callsheet, tmp_path: Path
) -> None:
    (tmp_path / "program.py").write_text(PROGRAM, "utf-8")

    ran = callsheet("sandbox", "run", "program.py", "--files", "kept")

    assert ran.status == 3, ran.err
    assert ran.out == "out\n"
    assert "err\n" in ran.err
    assert (tmp_path / "kept/made.csv").read_text("utf-8") == "a,b"


@pytest.mark.needs("docker")
def test_a_program_from_standard_input_ends_with_its_time(
    callsheet: Callsheet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (tmp_path / "piped").open("w+", encoding="utf-8") as piped:
        piped.write("print('begun')\nwhile True: pass\n")
        piped.seek(0)
        monkeypatch.setattr(sys, "stdin", piped)
        ran = callsheet("sandbox", "run", "-", "--timeout", "2")

    assert (ran.status, ran.out) == (124, "begun\n")
    assert "timeout: " in ran.err


@pytest.mark.needs("docker")
def test_a_pool_is_filled_and_timed(callsheet: Callsheet) -> None:
    ran = callsheet("sandbox", "warm", "--size", "1", "--rounds", "1")

    assert ran.status == 0, ran.err
    lines = ran.out.splitlines()
    assert re.match(r"1 containers wait after \d+ ms", lines[0])
    assert [line.partition(":")[0] for line in lines[1:]] == [
        "print('hello')",
        "numpy and pandas",
        "a plot",
    ]


def test_what_is_no_program_is_refused(callsheet: Callsheet, tmp_path: Path) -> None:
    (tmp_path / "nul.py").write_bytes(b"print(1)\0")
    (tmp_path / "latin.py").write_bytes(b"print('\xe9')")

    assert callsheet("sandbox", "run", "nowhere.py").status == 1
    assert "no UTF-8 text" in callsheet("sandbox", "run", "latin.py").err
    assert callsheet("sandbox", "run", "nul.py").status == 1


def test_without_an_engine_no_program_is_run(
    callsheet: Callsheet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CALLSHEET_SANDBOX__DOCKER_HOST", NOWHERE)
    (tmp_path / "program.py").write_text("print(1)", "utf-8")

    for ran in (callsheet("sandbox", "run", "program.py"), callsheet("sandbox", "warm")):
        assert ran.status == 1
        assert "No Docker engine answers" in ran.err
