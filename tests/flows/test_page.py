"""The built-in page in a real browser, on the whole product."""

from __future__ import annotations

import asyncio

import pytest

from tests.fakes.agui_client import AgUiClient
from tests.fakes.books import Books
from tests.fakes.chat_script import chat_script
from tests.fakes.provider.server import FakeProvider
from tests.web.drive import drive

pytestmark = pytest.mark.needs("chromium")

EVIL = (
    "\u0634\u0643\u0631\u0627 <img src=x onerror=alert(1)><script>alert(2)</script>"
    "[x](javascript:alert(3)) " + "long" * 100
)


async def test_what_a_model_wrote_is_shown_as_the_text_it_is(
    agui: AgUiClient, provider: FakeProvider, books: Books
) -> None:
    provider.scenario = chat_script(organization={"text": EVIL})
    seen = await asyncio.to_thread(drive, "turn.mjs", str(agui.http.base_url).rstrip("/"))
    assert seen["answers"] == [EVIL]
    assert seen["elements"] == 0
    assert seen["direction"] == "rtl"
    assert seen["overflow"] is False
    assert [state for _, state in seen["stages"]] == ["done", "done", "done"]
    assert seen["again"] == ["hello", EVIL]
    assert (seen["faults"], seen["foreign"], seen["stop"]) == ([], [], False)
    assert await books.audit() == {}


async def test_stop_on_the_page_stops_the_run(
    agui: AgUiClient, provider: FakeProvider, books: Books
) -> None:
    provider.scenario = chat_script(execution={"text": None, "chunks": 5, "fault": "stall",
                                               "fault_at": 3})  # fmt: skip
    seen = await asyncio.to_thread(drive, "turn.mjs", str(agui.http.base_url).rstrip("/"), "stop")
    assert seen["stages"] == [["intent", "done"], ["execution", "cancelled"]]
    assert seen["again"] == ["hello"]
    assert (seen["faults"], seen["foreign"], seen["stop"]) == ([], [], False)
    [gone] = provider.stats.disconnected
    assert gone is not None
    assert provider.stats.requests == 2
    assert [call["status"] for call in await books.calls()] == ["settled", "aborted"]
    assert await books.audit() == {}
