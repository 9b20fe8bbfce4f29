"""Runs the programs that put an image together; a build can be told to stop."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Final

from callsheet.kit.errors import SetupError, Unavailable

_LAST_LINES: Final = 8
_LOOK_S: Final = 0.2


class Workshop:
    """`tell` gets each step in a few words as it begins. Setting `stop` ends the build soon."""

    def __init__(self, tell: Callable[[str], None], stop: threading.Event | None = None) -> None:
        self.tell = tell
        self._stop = stop or threading.Event()

    def check(self) -> None:
        """Raise Unavailable once the build is told to stop."""
        if self._stop.is_set():
            raise Unavailable("The build of the sandbox's image was stopped.", service="sandbox")

    def wait(self) -> None:
        """Let a moment pass; raises as `check` does, as soon as that is so."""
        self._stop.wait(_LOOK_S)
        self.check()

    def run(
        self,
        command: Sequence[object],
        env: Mapping[str, str] | None = None,
        *,
        may_fail: bool = False,
    ) -> None:
        """Run a program to its end; blocks.

        Raises SetupError with the last lines that it said where it fails, Unavailable where it
        was stopped.
        """
        self.check()
        words = [str(word) for word in command]
        try:
            process = subprocess.Popen(  # noqa: S603 - our own words, no shell
                words,
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                start_new_session=True,
            )
        except OSError as error:
            raise SetupError(f"{words[0]} cannot be run: {error.strerror}.") from error
        said = self._wait(process)
        if process.returncode != 0 and not may_fail:
            last = "\n".join(said.strip().splitlines()[-_LAST_LINES:])
            raise SetupError(
                f"`{' '.join(words[:4])} ...` ended with {process.returncode}:\n{last}"
            )

    def _wait(self, process: subprocess.Popen[str]) -> str:
        while True:
            try:
                return process.communicate(timeout=_LOOK_S)[0]
            except subprocess.TimeoutExpired:
                if self._stop.is_set():
                    with suppress(ProcessLookupError):
                        os.killpg(process.pid, signal.SIGKILL)
                    process.communicate()
                    self.check()
