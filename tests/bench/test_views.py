"""The bench of views reads a run that it has written itself, as written and packed."""

from __future__ import annotations

from bench.views.replay import replay_s
from tests.fakes.deployment import Deployment
from tests.fakes.running_app import RunningApp
from tests.fixtures.app import deployment

__all__ = ["deployment"]


async def test_a_long_run_is_read_whole_both_ways(
    deployment: Deployment,
    database_url: str,
) -> None:
    async with RunningApp(deployment.settings(database_url)) as app:
        port = int(app.base_url.rpartition(":")[2])
        took = await replay_s(database_url, port, 3_000, 2)
    assert [len(values) for values in took.values()] == [2, 2]
    assert max(max(values) for values in took.values()) < 30
