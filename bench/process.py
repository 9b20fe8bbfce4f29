"""The processes of a sitting: started, watched through /proc, and ended."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from tests.fakes.ports import free_port

ROOT: Final = Path(__file__).resolve().parents[1]
_TICKS: Final = os.sysconf("SC_CLK_TCK")
_PAGE: Final = os.sysconf("SC_PAGE_SIZE")
_KEPT: Final = ("PATH", "LANG", "LC_ALL", "TZ")


def cores() -> tuple[set[int], set[int]]:
    """Where the servers under test run, and where everything else does."""
    have = sorted(os.sched_getaffinity(0))
    return ({have[-1]}, set(have[:-1])) if len(have) > 1 else ({have[0]}, {have[0]})


def same_weight(pid: int) -> None:
    """Give a process of another session this session's share of the cores, where there is one."""
    own, other = Path("/proc/self/autogroup"), Path(f"/proc/{pid}/autogroup")
    if own.exists():
        with suppress(OSError):
            other.write_text(own.read_text("ascii").split()[-1], "ascii")


@dataclass(slots=True)
class Process:
    """A started server. Use it as a context manager; `ready` waits for its first answer."""

    name: str
    port: int
    popen: subprocess.Popen[bytes]
    log: Path

    @property
    def pid(self) -> int:
        return self.popen.pid

    def ready(self, path: str, *, within_s: float = 120.0) -> float:
        """Seconds until `path` answers 200."""
        began = time.perf_counter()
        while time.perf_counter() - began < within_s:
            if self.popen.poll() is not None:
                break
            try:
                with urllib.request.urlopen(
                    f"http://127.0.0.1:{self.port}{path}", timeout=2
                ) as got:
                    if got.status == 200:
                        return time.perf_counter() - began
            except OSError:
                time.sleep(0.1)
        raise RuntimeError(f"{self.name} did not start:\n{self.log.read_text('utf-8')[-3000:]}")

    def cpu_s(self) -> float:
        """CPU seconds of this process alone, without its children."""
        fields = Path(f"/proc/{self.pid}/stat").read_text("ascii").rpartition(") ")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS

    def rss_mib(self) -> float:
        """Resident memory now."""
        pages = int(Path(f"/proc/{self.pid}/statm").read_text("ascii").split()[1])
        return pages * _PAGE / 2**20

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.popen.send_signal(signal.SIGTERM)
        try:
            self.popen.wait(15)
        except subprocess.TimeoutExpired:
            self.popen.kill()
            self.popen.wait()


@dataclass(frozen=True, slots=True)
class Place:
    """Where processes are started: a scratch folder and the cores they may use."""

    folder: Path
    on: set[int]


def start(
    name: str, module: str, arguments: Sequence[str], place: Place, more: Mapping[str, str]
) -> Process:
    """Run `python -m module --port <free> arguments` with an environment of its own."""
    port = free_port()
    home = place.folder / name
    home.mkdir(parents=True, exist_ok=True)
    env = {key: value for key, value in os.environ.items() if key in _KEPT}
    env |= {"HOME": str(home), "PYTHONPATH": f"{ROOT / 'backend'}:{ROOT}", **more}
    log = home / "log"
    with log.open("wb") as output:
        popen = subprocess.Popen(
            [sys.executable, "-m", module, "--port", str(port), *arguments],
            cwd=home,
            env=env,
            stdout=output,
            stderr=subprocess.STDOUT,
            preexec_fn=lambda: os.sched_setaffinity(0, place.on),
        )
    return Process(name, port, popen, log)
