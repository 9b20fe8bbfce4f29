"""Record anew what is sent in each kind of turn, into tests/golden/streams and docs/protocol.md.

Look at the difference before you commit it: clients see it too.
"""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def main(arguments: list[str]) -> int:
    command = [sys.executable, "-m", "pytest", "tests/golden", "-q", *arguments]
    env = os.environ | {"CALLSHEET_TEST_RECORD": "1"}
    code = subprocess.run(command, cwd=ROOT, env=env, check=False).returncode
    subprocess.run(["git", "status", "--short", "tests/golden", "docs"], cwd=ROOT, check=False)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
