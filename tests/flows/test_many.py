"""Many turns at once: nothing crosses over, and the books are exact."""

from __future__ import annotations

import asyncio
import json
from collections import Counter

from tests.fakes.agui_client import AgUiClient, Turn
from tests.fakes.books import Books
from tests.fakes.chat_script import chat_script
from tests.fakes.provider.server import FakeProvider


async def ask_all(agui: AgUiClient, texts: list[str]) -> list[Turn]:
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(agui.ask(text)) for text in texts]
    return [task.result() for task in tasks]


async def test_turns_at_once_hear_only_themselves(
    agui: AgUiClient, provider: FakeProvider, books: Books
) -> None:
    # All are in the middle of their answer before any of them goes on.
    held = {"echo": True, "held": True}
    provider.scenario = chat_script(execution=held, organization=held)
    async with asyncio.TaskGroup() as group:
        asked = group.create_task(
            ask_all(agui, [f"hello marker-{number:03d}" for number in range(50)])
        )
        await provider.until(lambda seen: seen.open == 50, within_s=60)
        provider.release()
    turns = asked.result()

    for number, turn in enumerate(turns):
        assert turn.breaches == []
        own = f"marker-{number:03d}"
        said = Counter(word for word in turn.text.split() if word.startswith("marker-"))
        assert set(said) == {own}
        assert "marker-" not in json.dumps(turn.events).replace(own, "")
        for message in await books.messages(turn.headers["x-session-id"]):
            assert "marker-" not in message["content"].replace(own, "")
        entries = await books.events(turn.headers["x-run-id"])
        assert "marker-" not in json.dumps(entries, default=str).replace(own, "")
    assert provider.stats.max_open == 50
    assert await books.audit() == {}


async def test_tokens_are_exactly_what_the_provider_bills(
    agui: AgUiClient, provider: FakeProvider, books: Books
) -> None:
    varied = {"vary": True, "prompt_tokens": 100, "cached_tokens": 10}
    tool = {"tools": [{"name": "calculator", "arguments": '{"expression": "2**10"}'}]}
    provider.scenario = chat_script(
        intent=varied,
        execution={**varied, **tool, "reasoning": 2, "reasoning_tokens": 2},
        organization=varied,
    )
    turns = await ask_all(agui, [f"question {number}" for number in range(12)])

    assert [turn.breaches for turn in turns] == [[]] * 12
    assert await books.booked() == provider.stats.billed
    assert len(await books.calls()) == provider.stats.requests == 48
    totals = await books.rows(
        "SELECT sum(total_tokens)::int AS t, sum(total_cost) AS c FROM sessions"
    )
    assert totals[0]["t"] == provider.stats.billed.prompt + provider.stats.billed.completion
    shown = sum(float(turn.last["metadata"]["callsheet"]["cost"]) for turn in turns)
    assert abs(float(totals[0]["c"]) - shown) < 1e-5
    assert await books.audit() == {}


async def test_messages_stand_in_the_order_in_which_they_were_streamed(
    agui: AgUiClient, provider: FakeProvider, books: Books
) -> None:
    asks = [{"name": "calculator", "arguments": f'{{"expression": "{n}+1"}}'} for n in range(4)]
    provider.scenario = chat_script(execution={"tools": asks})
    turn = await agui.ask("four sums")

    shown: list[int] = []
    for event in turn.events:
        seq = (event.get("metadata") or {}).get("callsheet", {}).get("seq")
        if seq is not None and seq not in shown:
            shown.append(seq)
    assert shown == sorted(shown)
    messages = await books.messages(turn.headers["x-session-id"])
    assert [message["seq"] for message in messages] == list(range(1, len(messages) + 1))
    results = [event["toolCallId"] for event in turn.of("TOOL_CALL_RESULT")]
    kept = [
        json.loads(message["raw_metadata"])["tool"]["call_id"]
        for message in messages
        if message["role"] == "tool"
    ]
    assert kept == results
