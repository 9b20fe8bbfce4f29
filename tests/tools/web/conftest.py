"""A website to fetch from."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.fakes.website import Website, website


@pytest.fixture
async def site() -> AsyncIterator[Website]:
    async with website() as running:
        yield running
