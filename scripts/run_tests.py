"""Run the tests, hold the coverage of lines to its gate, and say last what was not run here.

Arguments go to pytest. With arguments a part is meant: no coverage is taken and no gate held.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"
NOT_RUN = BUILD / "not-run.txt"
LINES_MUST_PERCENT = 90.0
LEAST_COVERED = 10


def main(arguments: list[str]) -> int:
    NOT_RUN.unlink(missing_ok=True)
    env = os.environ | {"CALLSHEET_NOT_RUN_FILE": str(NOT_RUN)}
    whole = not arguments
    if whole:
        coverage("erase")
        arguments = [
            "-n",
            os.environ.get("CALLSHEET_TEST_PROCESSES", "2"),
            "--cov",
            "--cov-report=",
        ]
    command = [sys.executable, "-m", "pytest", *arguments]
    code = subprocess.run(command, cwd=ROOT, env=env, check=False).returncode
    if whole and not coverage_holds() and code == 0:
        code = 1
    not_run = NOT_RUN.read_text("utf-8") if NOT_RUN.exists() else ""
    print(not_run, end="")
    if not_run and os.environ.get("CALLSHEET_TEST_ALL") == "1":
        print("CALLSHEET_TEST_ALL=1: nothing may be left out, so this run failed.")
    return code


def coverage_holds() -> bool:
    """Print lines and branches; the gate is on lines alone."""
    report = BUILD / "coverage" / "report.json"
    if coverage("json", "--quiet", "--ignore-errors", "-o", str(report)) != 0:
        print("coverage: nothing was measured")
        return False
    measured = json.loads(report.read_text("utf-8"))
    show_least_covered(measured["files"])
    totals = measured["totals"]
    lines = percent(totals["covered_lines"], totals["num_statements"])
    branches = percent(totals["covered_branches"], totals["num_branches"])
    verdict = "holds" if lines >= LINES_MUST_PERCENT else "FAILED"
    print(
        f"coverage: lines {lines:.1f} % (gate {LINES_MUST_PERCENT:.0f} %: {verdict}), "
        f"branches {branches:.1f} %",
        flush=True,
    )
    return lines >= LINES_MUST_PERCENT


def show_least_covered(files: dict[str, Any]) -> None:
    missing = sorted(((file["missing_lines"], name) for name, file in files.items()), key=by_length)
    for lines, name in missing[:LEAST_COVERED]:
        if lines:
            first = ", ".join(map(str, lines[:12])) + (" ..." if len(lines) > 12 else "")
            print(f"coverage: {name}: {len(lines)} lines not run ({first})")


def by_length(missing: tuple[list[int], str]) -> int:
    return -len(missing[0])


def percent(covered: int, all_of_them: int) -> float:
    return 100.0 * covered / all_of_them if all_of_them else 100.0


def coverage(*arguments: str) -> int:
    (BUILD / "coverage").mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "coverage", *arguments]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
