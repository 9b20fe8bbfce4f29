"""A viewer that reads nothing for a while: the run goes on, and all of it is there in the end."""

from __future__ import annotations

import asyncio

from tests.fakes.agui_client import AgUiClient
from tests.fakes.books import Books
from tests.fakes.chat_script import chat_script
from tests.fakes.provider.server import FakeProvider

PIECES = tuple(f"w{number:05d}" + "x" * 8_000 + " " for number in range(3_000))
"""24 MB in all, far more than sockets and the queue of a viewer hold."""


async def test_a_viewer_that_reads_nothing_slows_nobody_and_gets_everything_in_the_end(
    agui: AgUiClient, provider: FakeProvider, books: Books
) -> None:
    provider.scenario = chat_script(organization={"pieces": PIECES})
    async with asyncio.timeout(60), agui.open("hello", run_id="r") as (slow, slow_events):
        async with agui.watch("r") as (quick, events):
            async for _ in events:
                pass
        assert await books.one("SELECT status FROM runs") == "succeeded"
        async for _ in slow_events:
            pass
    assert quick.finish().breaches == slow.finish().breaches == []
    assert quick.text == "".join(PIECES)
    assert (slow.events, slow.frame_ids) == (quick.events, quick.frame_ids)
