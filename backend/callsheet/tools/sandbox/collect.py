"""From the runner's frames to a result."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, cast

from callsheet.tools.sandbox.file_types import type_of
from callsheet.tools.sandbox.frames import Frame
from callsheet.tools.sandbox.inside.files import is_safe_name
from callsheet.tools.sandbox.inside.wire import CHECKED, DATA, END, FILE, STARTED, STDERR, STDOUT
from callsheet.tools.sandbox.kept import Kept
from callsheet.tools.sandbox.options import SandboxOptions
from callsheet.tools.sandbox.protocol import (
    ExecutionResult,
    Finding,
    NamedFile,
    SandboxUnavailable,
    Skipped,
    Status,
    Stream,
)

_SIGKILL: Final = 9
_STREAMS: Final[dict[bytes, Stream]] = {STDOUT: "stdout", STDERR: "stderr"}


class Collected:
    """Takes frames of one execution. The runner is not trusted to keep to the limits."""

    def __init__(self, options: SandboxOptions, timeout_s: float) -> None:
        self._timeout_s = timeout_s
        self._limits = options.limits
        self._suffixes = frozenset(options.suffixes)
        self._kept: dict[Stream, Kept] = {
            "stdout": Kept(options.limits.output_bytes),
            "stderr": Kept(options.limits.output_bytes),
        }
        self._findings: tuple[Finding, ...] = ()
        self._runs = True
        self._files: list[NamedFile] = []
        self._skipped: list[Skipped] = []
        self._name = ""
        self._wanted = 0
        self._data = bytearray()
        self._bytes = 0
        self._end: Frame | None = None
        self.started = False

    @property
    def ended(self) -> bool:
        """Whether everything has come."""
        return self._end is not None

    def take(self, frames: Iterable[Frame]) -> list[tuple[Stream, str]]:
        """Take more; what of it is output, pieces of one stream that follow each other joined."""
        said: list[tuple[Stream, str]] = []
        for frame in frames:
            stream = _STREAMS.get(frame.kind)
            if stream is None:
                self._take_word(frame)
                continue
            text = self._kept[stream].add(frame.payload)
            if said and said[-1][0] == stream:
                said[-1] = (stream, said[-1][1] + text)
            elif text:
                said.append((stream, text))
        return said

    def _take_word(self, frame: Frame) -> None:
        if frame.kind == STARTED:
            self.started = True
        elif frame.kind == CHECKED:
            value = frame.value()
            self._runs = bool(value.get("runs"))
            self._findings = tuple(_finding(one) for one in value.get("findings", ()))
        elif frame.kind == FILE:
            self._begin_file(frame)
        elif frame.kind == DATA:
            self._take_data(frame.payload)
        elif frame.kind == END:
            self._end = frame

    def _begin_file(self, frame: Frame) -> None:
        about = frame.value()
        name, size = str(about.get("name")), int(about.get("size", 0))
        self._bytes += size
        if (
            self._wanted
            or not 0 <= size <= self._limits.file_bytes
            or self._bytes > self._limits.files_bytes
            or len(self._files) + len(self._skipped) >= self._limits.files
            or not is_safe_name(name)
        ):
            raise SandboxUnavailable("The sandbox's runner sends files that it was not asked for.")
        self._name, self._wanted = name, size
        self._take_data(b"")

    def _take_data(self, data: bytes) -> None:
        self._data += data
        self._wanted -= len(data)
        if self._wanted < 0:
            raise SandboxUnavailable("The sandbox's runner sends more of a file than it said.")
        if self._wanted == 0 and self._name:
            self._keep(NamedFile(self._name, bytes(self._data)))
            self._name = ""
            self._data.clear()

    def _keep(self, file: NamedFile) -> None:
        kind = type_of(file.name)
        if kind is None or file.name.rpartition(".")[2].lower() not in self._suffixes:
            self._skipped.append(Skipped(ascii(file.name)[1:-1], "its type is not given back"))
        elif not kind.fits(file.data):
            reason = f"what is in it is no {file.name.rpartition('.')[2].lower()}"
            self._skipped.append(Skipped(ascii(file.name)[1:-1], reason))
        else:
            self._files.append(file)

    def result(self, duration_s: float) -> ExecutionResult:
        """How the program ended, once everything has come."""
        end: dict[str, Any] = dict(self._end.value()) if self._end else {}
        skipped = [
            Skipped(str(one.get("name"))[:800], str(one.get("reason"))[:200])
            for one in end.get("skipped", ())
        ]
        dropped = sum(int(count) for count in end.get("dropped", ()))
        status, code, reason = self._ending(end)
        return self._result(
            status,
            exit_code=code,
            reason=reason,
            dropped=dropped,
            skipped=(*self._skipped, *skipped),
            duration_s=duration_s,
        )

    def late(self, duration_s: float) -> ExecutionResult:
        """The result of a program whose container was ended because its time was over."""
        return self._result("timeout", reason=self._late(), duration_s=duration_s)

    def killed(self, duration_s: float) -> ExecutionResult:
        """The result of a program whose container ended under it."""
        reason = "Its container ended, most likely for want of memory."
        return self._result("killed", reason=reason, duration_s=duration_s)

    def _late(self) -> str:
        return f"It was stopped after {self._timeout_s:g} s."

    def _ending(self, end: dict[str, Any]) -> tuple[Status, int | None, str | None]:
        if not self._runs:
            blocked = [one for one in self._findings if one.action == "block"]
            names = ", ".join(f"{one.name} (line {one.line})" for one in blocked)
            return "rejected", None, f"Not run, because it uses {names}."
        if end.get("is_late"):
            return "timeout", None, self._late()
        signal, code = end.get("signal"), end.get("exit_code")
        if signal is None:
            return ("ok" if code == 0 else "error"), code, None
        if signal == _SIGKILL and end.get("oom_kills", 0) > 0:
            limit = self._limits.memory_mib
            return "oom", None, f"It needed more memory than the {limit} MiB that there are."
        if signal == _SIGKILL:
            return "killed", None, "It was killed by a process of its own."
        return "error", 128 + int(signal), f"It was ended by signal {signal}."

    def _result(
        self,
        status: Status,
        *,
        exit_code: int | None = None,
        reason: str | None = None,
        dropped: int = 0,
        skipped: tuple[Skipped, ...] = (),
        duration_s: float,
    ) -> ExecutionResult:
        for kept in self._kept.values():
            kept.end()
        return ExecutionResult(
            status=status,
            exit_code=exit_code,
            stdout=self._kept["stdout"].text(),
            stderr=self._kept["stderr"].text(),
            dropped_bytes=dropped + sum(kept.dropped_bytes for kept in self._kept.values()),
            files=tuple(self._files),
            skipped=skipped,
            findings=self._findings,
            reason=reason,
            duration_s=duration_s,
        )


def _finding(one: dict[str, Any]) -> Finding:
    return Finding(str(one.get("name")), cast(Any, one.get("action")), int(one.get("line", 0)))
