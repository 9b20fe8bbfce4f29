"""A discarded answer is out of what was said at the end of its run, on every replay the same."""

from __future__ import annotations

from typing import Any

from tests.agui.frames import check_event
from tests.fakes.agui_client import AgUiClient, Turn
from tests.fakes.books import Books
from tests.fakes.chat_script import chat_script
from tests.fakes.provider.server import FakeProvider

SUM = {"name": "calculator", "arguments": '{"expression": "17*23"}'}

DISCARD = """
UPDATE run_events SET event = event || '{"status": "discarded"}'
WHERE run_id = $1::uuid AND event->>'kind' = 'answer_finished'
  AND event->>'message_id' = $2
"""
FORGET = """
UPDATE messages SET metadata = metadata || '{"status": "discarded"}' WHERE id = $1::uuid
"""


async def replay(agui: AgUiClient, run_id: str) -> Turn:
    async with agui.watch(run_id) as (turn, events):
        async for event in events:
            check_event(event)
    assert turn.finish().breaches == []
    return turn


def said(turn: Turn) -> list[tuple[str, Any]]:
    (snapshot,) = turn.of("MESSAGES_SNAPSHOT")
    assert turn.kinds()[-2:] == ["MESSAGES_SNAPSHOT", "RUN_FINISHED"]
    return [(message["role"], message.get("content")) for message in snapshot["messages"]]


async def test_what_was_taken_back_is_not_in_what_was_said_whenever_it_is_replayed(
    agui: AgUiClient, provider: FakeProvider, books: Books
) -> None:
    provider.scenario = chat_script(execution={"tools": [SUM]})
    message = {"id": "mine", "role": "user", "content": "one"}
    first = await agui.ask("", thread_id="t", messages=[message])
    run_id = first.headers["x-run-id"]
    (shown,) = first.of("TEXT_MESSAGE_START")
    await books.one(DISCARD, run_id, shown["messageId"])
    await books.one(FORGET, shown["messageId"])

    again = await replay(agui, run_id)
    assert said(again) == [("user", "one"), ("assistant", None), ("tool", "391")]
    user, asked, result = again.of("MESSAGES_SNAPSHOT")[0]["messages"]
    assert user["id"] == "mine"
    (began,) = first.of("TOOL_CALL_START")
    assert asked["id"] == began["parentMessageId"]
    assert asked["toolCalls"][0]["id"] == began["toolCallId"] == result["toolCallId"]
    assert result["id"] == first.of("TOOL_CALL_RESULT")[0]["messageId"]

    await agui.ask("two", thread_id="t")
    later = await replay(agui, run_id)
    assert (later.events, later.frame_ids) == (again.events, again.frame_ids)
