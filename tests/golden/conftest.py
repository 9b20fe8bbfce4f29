"""The running product, for every recording; `steered` is `chat` with `when_busy: steer`."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest

from tests.fakes.deployment import make_deployment
from tests.fakes.provider.server import FakeProvider
from tests.fakes.running_app import RunningApp
from tests.fakes.searxng import result, searxng
from tests.fakes.website import website_beside
from tests.fixtures.app import agui, books, shared_database_url

__all__ = ["agui", "books", "shared_database_url"]


@pytest.fixture(scope="session")
def shared_app(
    tmp_path_factory: pytest.TempPathFactory,
    shared_provider: FakeProvider,
    shared_database_url: str,
) -> Iterator[RunningApp]:
    folder = tmp_path_factory.mktemp("golden") / "deployment"
    deployment = make_deployment(folder, shared_provider.base_url)
    shutil.copytree(folder / "crews" / "chat", folder / "crews" / "steered")
    deployment.edit(
        "crews/steered/workflow.yaml", "timeout_s: 600", "timeout_s: 600\nwhen_busy: steer"
    )
    with website_beside() as site:
        searxng(site, [result(1), result(2, publishedDate="2026-01-02")])
        web = {"searxng_url": f"http://127.0.0.1:{site.port}"}
        with RunningApp(deployment.settings(shared_database_url, web=web)) as running:
            yield running
