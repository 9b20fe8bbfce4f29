"""The page about the sandbox shows files that are valid, and names every key and status."""

from __future__ import annotations

import typing
from pathlib import Path

import pytest
from pydantic import BaseModel

from callsheet.tools.sandbox.options import PREINSTALLED
from callsheet.tools.sandbox.protocol import Stage, Status
from callsheet.tools.sandbox.sandbox_file import (
    FILE,
    FilesEntry,
    InstallEntry,
    LimitsEntry,
    PoolEntry,
    SandboxFile,
    read_sandbox,
)
from tests.docs.pages import blocks, text_of

PAGE = text_of("docs/sandbox.md")


@pytest.mark.parametrize("example", blocks(PAGE, "yaml"))
def test_the_examples_are_valid(tmp_path: Path, example: str) -> None:
    (tmp_path / FILE).write_text(example, "utf-8")

    assert read_sandbox(tmp_path / FILE)[1] == ()


@pytest.mark.parametrize(
    ("entry", "prefix"),
    [
        (SandboxFile, ""),
        (LimitsEntry, "limits."),
        (FilesEntry, "files."),
        (PoolEntry, ""),
        (InstallEntry, ""),
    ],
)
def test_every_key_is_told(entry: type[BaseModel], prefix: str) -> None:
    for name in entry.model_fields:
        assert f"`{prefix}{name}`" in PAGE, name


def test_every_status_and_stage_is_told() -> None:
    for status in typing.get_args(Status):
        assert f"| `{status}` |" in PAGE, status
    for stage in (*typing.get_args(Stage), "ended"):
        assert f"`{stage}`" in text_of("docs/events.md"), stage


def test_every_package_is_told() -> None:
    for package in PREINSTALLED:
        assert package in PAGE, package
