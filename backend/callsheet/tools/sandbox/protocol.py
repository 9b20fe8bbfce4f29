"""What a sandbox is: programs go in, what they said and made comes out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Literal, Protocol

from callsheet.kit.errors import Unavailable

Stream = Literal["stdout", "stderr"]
Status = Literal["ok", "error", "timeout", "oom", "killed", "rejected"]
Stage = Literal["queued", "building", "starting", "installing", "running"]
Kind = Literal["off", "starting", "no_engine", "no_permission", "no_image", "building", "ready"]


class SandboxUnavailable(Unavailable):
    """The sandbox itself failed, not a program in it; the message is for an operator."""

    def __init__(self, message: str) -> None:
        super().__init__(message, service="sandbox")


class SandboxBusy(SandboxUnavailable):
    """No place became free in time."""


@dataclass(frozen=True, slots=True)
class NamedFile:
    """`name` is a relative path with `/`, of plain text, that leads nowhere else."""

    name: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file that was not given back, and why. The name is ASCII, with escapes."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class Finding:
    """What the look at the text found. `name` is the rule's; lines count from 1."""

    name: str
    action: Literal["block", "warn"]
    line: int


@dataclass(frozen=True, slots=True)
class Program:
    """Python source and the files that it finds in its folder. `packages` are installed before."""

    code: str
    timeout_s: float
    files: tuple[NamedFile, ...] = ()
    packages: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ExecutionResult:
    """How a program ended. `exit_code` None: it did not end by itself.

    `dropped_bytes`: of stdout and stderr together, over the limit. `reason` is for the model where
    the status alone does not say it.
    """

    status: Status
    exit_code: int | None = None
    stdout: str = ""
    stderr: str = ""
    dropped_bytes: int = 0
    files: tuple[NamedFile, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    findings: tuple[Finding, ...] = ()
    reason: str | None = None
    duration_s: float = 0.0


_TOLD: Final[Mapping[str, str]] = {
    "off": "Programs are switched off here.",
    "starting": "No workflow has python_executor yet.",
    "building": "The image that programs run in is being built.",
    "no_image": "The image that programs run in is missing.",
    "no_engine": "No Docker engine answers.",
    "no_permission": "The Docker engine may not be used.",
}


@dataclass(frozen=True, slots=True)
class SandboxState:
    """Whether programs can be run now. `detail` says, for operators, what is missing or done.

    `warm` of `pool_size` containers wait, `running` are at work.
    """

    kind: Kind
    detail: str = ""
    warm: int = 0
    pool_size: int = 0
    running: int = 0

    @property
    def ready(self) -> bool:
        """Whether a program can be run."""
        return self.kind == "ready"

    @property
    def told(self) -> str:
        """What users may know: neither an address nor what an engine has said."""
        return _TOLD.get(self.kind, "Programs cannot be run now.")


class Watch(Protocol):
    """Hears what goes on while a program is prepared and runs; never waits."""

    def output(self, stream: Stream, text: str) -> None:
        """More of what the program writes."""
        ...

    def stage(self, stage: Stage, detail: str) -> None:
        """What is being done now."""
        ...


class Sandbox(Protocol):
    """Runs programs that nobody trusts."""

    async def run(self, program: Program, watch: Watch) -> ExecutionResult:
        """Run it to its end; cancelling ends the program at once.

        Raises:
            SandboxUnavailable: the sandbox failed, which says nothing about the program.
        """
        ...

    def state(self) -> SandboxState:
        """What is known now; asks nobody."""
        ...


class Images(Protocol):
    """Where the image of the containers comes from."""

    @property
    def name(self) -> str:
        """Its name with a tag."""
        ...

    def can_build(self) -> bool:
        """Whether `ensure` can make it where it is missing."""
        ...

    async def ensure(self, tell: Callable[[str], None]) -> None:
        """Make what is missing, telling each step; SandboxUnavailable where that cannot be."""
        ...

    @property
    def step(self) -> str | None:
        """What is being made now; None where nothing is."""
        ...

    @property
    def failure(self) -> str:
        """Why the last making failed; empty where it did not."""
        ...

    async def work(self) -> None:
        """What `ensure` needs beside it, until cancelled."""
        ...
