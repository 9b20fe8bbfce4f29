"""Packages with tools."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.plugin import Install, packages


@pytest.fixture
def install(tmp_path: Path) -> Iterator[Install]:
    """Install a package that offers tools."""
    with packages(tmp_path) as installer:
        yield installer
