"""`sandbox.yaml`: strict, with the line of every mistake."""

from __future__ import annotations

from pathlib import Path

import pytest

from callsheet.kit.errors import ConfigError
from callsheet.kit.places import shipped
from callsheet.tools.sandbox.file_types import FILE_TYPES
from callsheet.tools.sandbox.options import (
    CHECKS,
    InstallOptions,
    Limits,
    PoolOptions,
    SandboxOptions,
)
from callsheet.tools.sandbox.sandbox_file import FILE, load_sandbox, read_sandbox

DEFAULTS = SandboxOptions(suffixes=tuple(FILE_TYPES))


def load(tmp_path: Path, text: str) -> SandboxOptions:
    (tmp_path / FILE).write_text(text)
    return load_sandbox(tmp_path / FILE)


def problems_of(tmp_path: Path, text: str) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, text)
    assert read_sandbox(tmp_path / FILE)[1] == caught.value.problems
    return [str(each).removeprefix(f"{tmp_path}/") for each in caught.value.problems]


def test_what_ships_are_the_defaults(tmp_path: Path) -> None:
    assert load_sandbox(shipped("config") / FILE) == DEFAULTS
    assert load_sandbox(tmp_path / FILE) == DEFAULTS
    assert load(tmp_path, "enabled: true\n") == DEFAULTS


def test_every_key_arrives(tmp_path: Path) -> None:
    found = load(
        tmp_path,
        """
enabled: false
image: mine:3
build: false
runtime: runsc
parallel: 3
queue_s: 5
install: {network: bridge, index: 'https://pypi.example/simple', timeout_s: 7}
packages: [numpy]
limits: {cpus: 1, memory_mib: 512, pids: 100, open_files: 64, workspace_mib: 1,
         workspace_files: 64, temporary_mib: 8, timeout_s: 5, max_timeout_s: 6, code_kib: 1,
         output_kib: 2}
files: {count: 1, each_mib: 2, total_mib: 3, types: [png]}
pool: {size: 0, fill: start, idle_s: 9, preload: []}
check: {socket: block, eval: allow}
""",
    )

    assert found == SandboxOptions(
        limits=Limits(
            1,
            512,
            100,
            64,
            1,
            64,
            8,
            5,
            6,
            1024,
            2048,
            files=1,
            file_bytes=2 << 20,
            files_bytes=3 << 20,
        ),
        pool=PoolOptions(0, "start", 9, ()),
        enabled=False,
        image="mine:3",
        build=False,
        runtime="runsc",
        parallel=3,
        queue_s=5,
        install=InstallOptions("bridge", "https://pypi.example/simple", 7),
        packages=("numpy",),
        suffixes=("png",),
        checks={**CHECKS, "socket": "block", "eval": "allow"},
    )


def test_every_mistake_is_told_with_its_place(tmp_path: Path) -> None:
    text = """\
imege: mine
limits:
  memory: 512
  pids: many
  timeout_s: 300
files: {types: [pgn]}
check: {ctypes: forbid}
"""

    assert problems_of(tmp_path, text) == [
        "sandbox.yaml:1:1: unknown key 'imege' (did you mean 'image'?)",
        "sandbox.yaml:3:3: unknown key 'memory' (did you mean 'memory_mib'?)",
        "sandbox.yaml:4:9: expected a whole number, found 'many'",
        "sandbox.yaml:5:14: more than max_timeout_s, which is 120",
        "sandbox.yaml:6:17: files that end in 'pgn' are not known (did you mean 'png'?)",
        "sandbox.yaml:7:17: 'forbid' is not one of block, warn, allow",
    ]
