"""Run every check, also after one has failed, and say at the end which did."""

import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
CHECKS = {
    "format": ["ruff", "format", "--check", "--quiet", "."],
    "lint": ["ruff", "check", "--quiet", "."],
    "types": ["mypy", "backend/callsheet", "tests", "scripts", "bench"],
    "floors": ["lint-imports"],
    "architecture": ["pytest", "tests/architecture", "-q", "--no-header"],
}


def main() -> int:
    failed: list[str] = []
    for name, (program, *arguments) in CHECKS.items():
        started = time.monotonic()
        command = [str(BIN / program), *arguments]
        code = subprocess.run(command, cwd=ROOT, env=os.environ, check=False).returncode
        verdict = "ok" if code == 0 else "FAILED"
        print(f"check {name}: {verdict} ({time.monotonic() - started:.1f} s)", flush=True)
        if code != 0:
            failed.append(name)
    if failed:
        print(f"failed: {', '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
