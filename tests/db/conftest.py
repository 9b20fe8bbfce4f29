"""Data folders for an embedded server."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from callsheet.db.embedded.lifecycle import embedded_postgres
from tests.db.embedded_users import end_all, folder, none_left, options


@pytest.fixture(scope="module")
def made_once() -> Iterator[Path]:
    """A data folder with a cluster in it, and no server. Each test leaves it able to start."""
    path = folder()

    async def make() -> None:
        async with embedded_postgres(options(path)):
            pass

    asyncio.run(make())
    yield path
    end_all(path)


@pytest.fixture
def data_dir(made_once: Path) -> Iterator[Path]:
    yield made_once
    assert none_left(made_once)


@pytest.fixture
def new_dir() -> Iterator[Path]:
    path = folder()
    yield path
    end_all(path)
