"""Stopped at fifty random moments: the provider sees it at once, and nothing of the run follows."""

from __future__ import annotations

import asyncio
import random
import time

from tests.fakes.agui_client import AgUiClient, Turn
from tests.fakes.books import Books
from tests.fakes.chat_script import chat_script
from tests.fakes.provider.server import FakeProvider

LANES, EACH = 5, 10
TURN_S = 0.8


async def stopped(agui: AgUiClient, marker: str, after_s: float) -> tuple[Turn, float]:
    """A turn that is stopped after a while, and when that was asked for."""
    async with agui.open(f"hello {marker}") as (turn, events):
        reading = asyncio.create_task(_read(events))
        await asyncio.sleep(after_s)
        asked_at = time.monotonic()
        answer = await agui.http.post(f"/v1/runs/{turn.headers['x-run-id']}/cancel")
        assert answer.json()["status"] in ("cancelled", "succeeded")
        await reading
    return turn.finish(), asked_at


async def _read(events: object) -> None:
    async for _ in events:  # type: ignore[attr-defined]
        pass


async def test_a_stop_stops_whenever_it_comes(
    agui: AgUiClient, provider: FakeProvider, books: Books
) -> None:
    paced = {"text": None, "chunks": 8, "gap_s": TURN_S / 24, "first_byte_s": 0.02}
    tools = [{"name": "calculator", "arguments": '{"expression": "1+1"}'}]
    provider.scenario = chat_script(intent={"gap_s": 0.02}, execution={**paced, "tools": tools},
                                    organization=paced)  # fmt: skip
    rng = random.Random(11)
    moments = [rng.uniform(0, TURN_S) for _ in range(LANES * EACH)]
    seen: list[tuple[str, Turn, float, int]] = []

    async def lane(number: int) -> None:
        for turn_number in range(EACH):
            marker = f"marker-{number}-{turn_number}"
            turn, at = await stopped(agui, marker, moments[number * EACH + turn_number])
            seen.append((marker, turn, at, len(requests_of(provider, marker))))

    async with asyncio.TaskGroup() as lanes:
        for number in range(LANES):
            lanes.create_task(lane(number))
    await books.until_idle()

    left = {gone.number: gone for gone in provider.stats.disconnected}
    ends: set[str] = set()
    for marker, turn, asked_at, requests in seen:
        assert turn.breaches == []
        ends.add(str((turn.last.get("outcome") or {}).get("type")))
        mine = requests_of(provider, marker)
        assert len(mine) == requests, "a request left after the run had stopped"
        cut = [left[number] for number in mine if number in left]
        assert len(cut) <= 1
        assert all(gone.at_s - asked_at < 1 for gone in cut)
        calls = await books.rows(
            "SELECT status, usage_source FROM llm_calls WHERE run_id = $1::uuid",
            turn.headers["x-run-id"],
        )
        assert len(mine) <= len(calls)
        aborted = [call for call in calls if call["status"] == "aborted"]
        assert all(call["usage_source"] in ("estimated", "none", "provider") for call in aborted)
        assert len(aborted) >= len(cut)
    assert "cancelled" in ends
    assert provider.stats.open == 0
    assert await books.audit() == {}


def requests_of(provider: FakeProvider, marker: str) -> list[int]:
    """The numbers of the requests that this run has sent, from 1."""
    return [
        number
        for number, body in enumerate(provider.bodies, 1)
        if any(marker in str(message["content"]) for message in body["messages"])
    ]
