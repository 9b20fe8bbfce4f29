"""The real small model as a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from tests.plugins.needs import ROOT


@contextmanager
def local_model() -> Iterator[str]:
    """Its address, once it answers; takes some seconds to load."""
    command = [sys.executable, "-m", "callsheet.llm.local.serve", "--port", "0"]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT / "backend"), *sys.path])}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield _ready(process.stdout)
        finally:
            process.terminate()


def _ready(lines: Iterator[str]) -> str:
    said = []
    for line in lines:
        said.append(line)
        if line.startswith("Ready: "):
            return line.removeprefix("Ready: ").strip()
    raise AssertionError(f"the local model did not start: {''.join(said)}")
