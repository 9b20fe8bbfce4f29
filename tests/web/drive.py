"""Runs one of the browser's scripts and gives what it saw."""

from __future__ import annotations

import json
import subprocess
from typing import Any

from tests.plugins.needs import WEB, chromium, node


def drive(script: str, *words: str) -> dict[str, Any]:
    """What the script of tests/web/browser wrote; it is handed the browser and `words`."""
    done = subprocess.run(
        [str(node()), str(WEB / "browser" / script), str(chromium()), *words],
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    seen: dict[str, Any] = json.loads(done.stdout)
    return seen
