from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture.sources import ROOT

CASES = """
import pytest

@pytest.mark.needs("chromium")
def test_in_a_browser():
    pass

@pytest.mark.needs("chromium")
def test_in_a_browser_too():
    pass

def test_anywhere():
    pass
"""
ALONE = {"PYTHONPATH": str(ROOT), "CHROMIUM": "/nowhere", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
MISSING = "browser tests: no Chromium (install chromium, or name it in CHROMIUM)"


def run(
    folder: Path, *arguments: str, case: str = CASES, **env: str
) -> subprocess.CompletedProcess[str]:
    """Run pytest on `case` as a project of its own, on a machine without a browser."""
    (folder / "test_case.py").write_text(case, "utf-8")
    (folder / "pytest.ini").write_text("[pytest]\n", "utf-8")
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "tests.plugins.not_run",
        "-p",
        "no:cacheprovider",
    ]
    inherited = {name: value for name, value in os.environ.items() if "CALLSHEET" not in name}
    return subprocess.run(
        [*command, *arguments, "test_case.py"],
        cwd=folder,
        env=inherited | ALONE | env,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    "processes", [[], ["-p", "xdist", "-n", "2"]], ids=["alone", "side by side"]
)
def test_what_a_machine_lacks_is_left_out_and_named(tmp_path: Path, processes: list[str]) -> None:
    done = run(tmp_path, *processes)

    assert done.returncode == 0, done.stdout + done.stderr
    assert f"not run: {MISSING} (2 tests)" in done.stdout.splitlines()
    assert "1 passed" in done.stdout


@pytest.mark.parametrize(
    "processes", [[], ["-p", "xdist", "-n", "2"]], ids=["alone", "side by side"]
)
def test_nothing_may_be_left_out_where_all_is_asked_for(
    tmp_path: Path, processes: list[str]
) -> None:
    done = run(tmp_path, *processes, CALLSHEET_TEST_ALL="1")

    assert done.returncode == 1
    assert f"not run: {MISSING} (2 tests)" in done.stdout


def test_a_test_that_skips_itself_is_seen(tmp_path: Path) -> None:
    case = (
        "import pytest\ndef test_shy():\n    pytest.skip('too shy')\ndef test_bold():\n    pass\n"
    )

    done = run(tmp_path, case=case, CALLSHEET_TEST_ALL="1")

    assert done.returncode == 1
    assert "not run: test_case.py::test_shy: too shy (1 test)" in done.stdout.splitlines()


def test_the_lines_go_to_a_file_where_one_is_named(tmp_path: Path) -> None:
    file = tmp_path / "build" / "not-run.txt"

    done = run(tmp_path, CALLSHEET_NOT_RUN_FILE=str(file))

    assert file.read_text("utf-8") == f"not run: {MISSING} (2 tests)\n"
    assert "not run here" not in done.stdout


def test_a_need_that_nobody_knows_is_an_error(tmp_path: Path) -> None:
    case = "import pytest\n@pytest.mark.needs('luck')\ndef test_lucky():\n    pass\n"

    done = run(tmp_path, case=case)

    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert "needs 'luck'" in done.stderr
