"""What a program in the sandbox may use, and how the sandbox is kept ready."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

Action = Literal["block", "warn", "allow"]
MIB: Final = 1024 * 1024

PREINSTALLED: Final = (
    "numpy", "pandas", "scipy", "sympy", "matplotlib", "requests", "python-dateutil", "tabulate",
    "pyyaml",
)  # fmt: skip
"""What the product's own image holds beside Python."""

CHECKS: Final[Mapping[str, Action]] = {
    "ctypes": "block",
    "multiprocessing": "block",
    "signal": "block",
    "fork_bomb": "block",
    "os.system": "warn",
    "subprocess": "warn",
    "eval": "warn",
    "exec": "warn",
}
"""What is looked for in a program's text, by default."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Of one program. `cpus` counts cores; memory is without swap.

    `output_bytes` holds for stdout and for stderr, `file_bytes` for one file that goes back,
    `files_bytes` for all of them together.
    """

    cpus: float = 0.5
    memory_mib: int = 256
    pids: int = 64
    open_files: int = 1024
    workspace_mib: int = 64
    workspace_files: int = 2048
    temporary_mib: int = 32
    timeout_s: float = 30.0
    max_timeout_s: float = 120.0
    code_bytes: int = 64 * 1024
    output_bytes: int = 64 * 1024
    files: int = 20
    file_bytes: int = 10 * MIB
    files_bytes: int = 20 * MIB


@dataclass(frozen=True, slots=True)
class PoolOptions:
    """Containers that wait with everything imported; after `idle_s` without a program they go."""

    size: int = 2
    fill: Literal["first_use", "start"] = "first_use"
    idle_s: float = 600.0
    preload: tuple[str, ...] = ("numpy", "pandas", "matplotlib.pyplot")


@dataclass(frozen=True, slots=True)
class InstallOptions:
    """`network` is the engine's, over which packages come; `index` None: the installer's own."""

    network: str
    index: str | None = None
    timeout_s: float = 60.0


@dataclass(frozen=True, slots=True)
class SandboxOptions:
    """`image` None: the product's own. `runtime` None: the engine's default.

    `parallel` programs run at once at most (0: two for each core of this machine); others wait for
    up to `queue_s`. `install` None: no packages may be installed. `packages` are told to the model.
    `suffixes` are the types of files that go back, by their ending.
    """

    limits: Limits = field(default_factory=Limits)
    pool: PoolOptions = field(default_factory=PoolOptions)
    enabled: bool = True
    image: str | None = None
    build: bool = True
    runtime: str | None = None
    parallel: int = 0
    queue_s: float = 60.0
    install: InstallOptions | None = None
    packages: tuple[str, ...] = PREINSTALLED
    suffixes: tuple[str, ...] = ()
    checks: Mapping[str, Action] = field(default_factory=lambda: dict(CHECKS))
