"""`sandbox.yaml`: what programs may use, and how the sandbox is kept ready."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, ClassVar, Final, Literal

from pydantic import Field, StringConstraints

from callsheet.kit.errors import ConfigError, Problem
from callsheet.kit.yaml import Section, compose
from callsheet.kit.yaml_words import closest
from callsheet.tools.sandbox.file_types import FILE_TYPES
from callsheet.tools.sandbox.options import (
    CHECKS,
    MIB,
    PREINSTALLED,
    Action,
    InstallOptions,
    Limits,
    PoolOptions,
    SandboxOptions,
)

FILE: Final = "sandbox.yaml"

_Module = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*$")]
_Word = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=r"^\S+$")]
_LIMITS: Final = Limits()
_POOL: Final = PoolOptions()


class LimitsEntry(Section):
    """What one program may use."""

    synonyms: ClassVar[Mapping[str, str]] = {
        "cpu": "cpus", "memory": "memory_mib", "memory_mb": "memory_mib", "timeout": "timeout_s",
        "processes": "pids", "nofile": "open_files", "workspace": "workspace_mib",
    }  # fmt: skip

    cpus: float = Field(default=_LIMITS.cpus, ge=0.05, le=16, description="Cores.")
    memory_mib: int = Field(
        default=_LIMITS.memory_mib, ge=64, le=65_536, description="Without swap; files count too."
    )
    pids: int = Field(
        default=_LIMITS.pids, ge=8, le=4096, description="Processes and threads at a time."
    )
    open_files: int = Field(default=_LIMITS.open_files, ge=64, le=65_536)
    workspace_mib: int = Field(
        default=_LIMITS.workspace_mib, ge=1, le=16_384, description="Of files in its folder."
    )
    workspace_files: int = Field(default=_LIMITS.workspace_files, ge=64, le=1_000_000)
    temporary_mib: int = Field(
        default=_LIMITS.temporary_mib, ge=8, le=16_384, description="Of files under /tmp."
    )
    timeout_s: float = Field(
        default=_LIMITS.timeout_s, ge=1, le=3600, description="Where a call asks for no other."
    )
    max_timeout_s: float = Field(
        default=_LIMITS.max_timeout_s, ge=1, le=3600, description="The most a call can ask for."
    )
    code_kib: int = Field(
        default=_LIMITS.code_bytes // 1024, ge=1, le=100, description="Of a program's text."
    )
    output_kib: int = Field(
        default=_LIMITS.output_bytes // 1024,
        ge=1,
        le=1024,
        description="Kept of stdout and of stderr; the rest is dropped, and that is said.",
    )

    def limits(self, files: FilesEntry) -> Limits:
        """As the sandbox takes them."""
        return Limits(
            **self.model_dump(exclude={"code_kib", "output_kib"}),
            code_bytes=self.code_kib * 1024,
            output_bytes=self.output_kib * 1024,
            files=files.count,
            file_bytes=files.each_mib * MIB,
            files_bytes=files.total_mib * MIB,
        )


class FilesEntry(Section):
    """What a program leaves in its folder and the user gets."""

    count: int = Field(default=_LIMITS.files, ge=0, le=100)
    each_mib: int = Field(default=_LIMITS.file_bytes // MIB, ge=1, le=1024)
    total_mib: int = Field(default=_LIMITS.files_bytes // MIB, ge=1, le=1024)
    types: list[_Word] = Field(
        default=list(FILE_TYPES), description="By ending; what is in a file has to fit it."
    )


class PoolEntry(Section):
    """Containers that wait with everything imported, in each process that works on runs."""

    size: int = Field(
        default=_POOL.size, ge=0, le=64, description="0: each program waits for its container."
    )
    fill: Literal["first_use", "start"] = Field(
        default=_POOL.fill,
        description="When they are made. first_use: after the first program has come.",
    )
    idle_s: float = Field(
        default=_POOL.idle_s,
        ge=1,
        le=86_400,
        description="Seconds without a program after which they go (first_use).",
    )
    preload: list[_Module] = Field(default=list(_POOL.preload), description="Imported beforehand.")


class InstallEntry(Section):
    """How packages are installed that a program asks for."""

    synonyms: ClassVar[Mapping[str, str]] = {"index_url": "index", "timeout": "timeout_s"}

    network: _Word = Field(description="The engine's network that they come over, such as bridge.")
    index: _Word | None = Field(
        default=None, description="Address of a package index. Unset: the installer's default."
    )
    timeout_s: float = Field(default=60.0, ge=1, le=600, description="For all of one program.")


class SandboxFile(Section):
    """The sandbox of `python_executor`."""

    synonyms: ClassVar[Mapping[str, str]] = {"checks": "check", "artifacts": "files"}

    enabled: bool = Field(default=True, description="false: the tool is not offered.")
    image: _Word | None = Field(
        default=None, description="An image of your own. Unset: the product's."
    )
    build: bool = Field(
        default=True, description="Whether the product's image is built where it is missing."
    )
    runtime: _Word | None = Field(
        default=None, description="The engine's runtime, such as runsc. Unset: its default."
    )
    parallel: int = Field(
        default=0,
        ge=0,
        le=1000,
        description="Programs that one process runs at once. 0: two for each core.",
    )
    queue_s: float = Field(
        default=60.0, ge=0, le=3600, description="Seconds that others wait for a place."
    )
    install: InstallEntry | None = Field(
        default=None,
        description="Lets programs have packages installed. The program itself has no network.",
    )
    packages: list[_Word] = Field(
        default=list(PREINSTALLED), description="What the image holds, as the model is told."
    )
    limits: LimitsEntry = Field(default=LimitsEntry())
    files: FilesEntry = Field(default=FilesEntry())
    pool: PoolEntry = Field(default=PoolEntry())
    check: dict[_Module, Action] = Field(
        default=dict(CHECKS),
        description="What is looked for in a program's text: modules, names in them, built-in "
        "functions, fork_bomb. block: it is not run. warn: the model is told. A hint to the model; "
        "what holds programs is the container.",
    )

    def options(self) -> SandboxOptions:
        """As the sandbox takes them."""
        return SandboxOptions(
            limits=self.limits.limits(self.files),
            pool=PoolOptions(
                self.pool.size, self.pool.fill, self.pool.idle_s, tuple(self.pool.preload)
            ),
            enabled=self.enabled,
            image=self.image,
            build=self.build,
            runtime=self.runtime,
            parallel=self.parallel,
            queue_s=self.queue_s,
            install=InstallOptions(**self.install.model_dump()) if self.install else None,
            packages=tuple(self.packages),
            suffixes=tuple(self.files.types),
            checks={**CHECKS, **self.check},
        )


def load_sandbox(path: Path) -> SandboxOptions:
    """What the file says; a folder of the time before there was one has none: the defaults.

    Raises:
        ConfigError: every problem of the file.
    """
    options, problems = read_sandbox(path)
    if problems:
        raise ConfigError(problems)
    return options


def read_sandbox(path: Path) -> tuple[SandboxOptions, tuple[Problem, ...]]:
    """`load_sandbox` with the problems beside what is valid."""
    if not path.exists():
        return SandboxFile().options(), ()
    try:
        salvage = compose(path).salvage(SandboxFile)
    except ConfigError as error:
        return SandboxFile().options(), error.problems
    problems = list(salvage.problems)
    if salvage.value is not None:
        limits = salvage.value.limits
        if limits.timeout_s > limits.max_timeout_s:
            place = ("limits", "timeout_s")
            message = f"more than max_timeout_s, which is {limits.max_timeout_s:g}"
            problems.append(salvage.document.problem(place, message))
        for index, ending in enumerate(salvage.value.files.types):
            if ending not in FILE_TYPES:
                message = f"files that end in {ending!r} are not known"
                place_of = ("files", "types", index)
                problems.append(
                    salvage.document.problem(place_of, message, closest(ending, FILE_TYPES))
                )
    found = tuple(sorted(problems, key=lambda one: (one.line, one.column)))
    return (salvage.value or SandboxFile()).options(), found
