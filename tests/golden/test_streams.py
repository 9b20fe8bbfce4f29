"""What we send, against what was recorded. `scripts/record_streams.py` records anew."""

from __future__ import annotations

from typing import Any

import pytest

from callsheet.events.order import OrderChecker
from callsheet.events.tool import ToolCallStarted, ToolResult
from callsheet.events.union import parse_event
from tests.agui.frames import check_event
from tests.docs.pages import text_of
from tests.fakes.agui_client import AgUiClient
from tests.fakes.agui_order import AgUiOrder
from tests.fakes.books import Books
from tests.fakes.provider.server import FakeProvider
from tests.golden import files
from tests.golden.kinds import KINDS, Kind
from tests.golden.stable import Stable
from tests.golden.stored import messages_of, said_in

_EVENTS = "SELECT event::text FROM run_events WHERE run_id = $1::uuid ORDER BY seq"


@pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.name)
async def test_a_turn_is_sent_as_it_was_recorded(
    agui: AgUiClient, provider: FakeProvider, books: Books, kind: Kind
) -> None:
    turn = await kind.play(AgUiClient(agui.http, protocol=kind.protocol), provider)
    assert turn.status == 200
    assert turn.breaches == []
    stable = Stable()
    events = stable.events(turn.events)
    if kind.whole:
        stored = await said_in(books, turn.headers["x-session-id"])
    else:
        run_id = turn.headers["x-run-id"]
        stored = await messages_of(books, run_id)
        await keeps_order(books, run_id)
    messages: list[dict[str, Any]] = stable.value(stored, "messages")
    if files.IS_RECORDING:
        files.write(kind.name, events, messages)
    assert events == files.read(kind.name)
    assert messages == files.read_messages(kind.name)


async def keeps_order(books: Books, run_id: str) -> None:
    """The run's journal, by the rules that its writer goes by."""
    order = OrderChecker()
    events = [parse_event(row["event"]) for row in await books.rows(_EVENTS, run_id)]
    asked = {event.tool_call_id for event in events if isinstance(event, ToolCallStarted)}
    given = {event.tool_call_id for event in events if isinstance(event, ToolResult)}
    order.carry(given - asked)  # by the run that this one goes on from
    for event in events:
        order.check(event)
    assert order.ended


@pytest.mark.parametrize("name", KINDS)
def test_a_recording_is_what_the_protocol_allows(name: str) -> None:
    order = AgUiOrder()
    for event in files.read(name):
        check_event(event)
        order.feed(event["type"], event)
    assert order.finish() == []


def test_every_recording_is_of_a_kind_and_on_the_page() -> None:
    assert files.recorded() == set(KINDS)
    page = text_of("docs/protocol.md")
    for name in KINDS:
        section = page.partition(f"\n### {name}\n")[2].partition("\n### ")[0]
        assert f"```text\n{files.outline(files.read(name))}\n```" in section, name
