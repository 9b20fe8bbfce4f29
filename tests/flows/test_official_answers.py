"""The official clients of both generations answer what runs wait for."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from tests.fakes.agui_client import AgUiClient
from tests.fakes.books import Books
from tests.fakes.provider.server import FakeProvider
from tests.flows.waiting import MAIL, asking
from tests.plugins.needs import WEB, node

pytestmark = [
    pytest.mark.needs("node"),
    pytest.mark.parametrize("generation", ["agui-1.0", "agui-0.0"]),
]
PICK = {"name": "pick_file", "description": "Pick.", "parameters": {"type": "object"}}


async def talk(agui: AgUiClient, generation: str, **asked: Any) -> dict[str, Any]:
    given = {"url": f"{agui.http.base_url}/v1/agent-chat", "text": "Do it.", **asked}
    process = await asyncio.create_subprocess_exec(
        str(node()),
        str(WEB / "official_answers.mjs"),
        str(WEB / generation),
        json.dumps(given),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    said, wrong = await asyncio.wait_for(process.communicate(), 60)
    assert process.returncode == 0, wrong.decode()
    seen: dict[str, Any] = json.loads(said)
    assert seen["complaints"] == []
    assert [turn["rejected"] or turn["error"] for turn in seen["turns"]] == [None, None]
    return seen


def words(seen: dict[str, Any], role: str) -> list[str]:
    return [m["content"] for m in seen["messages"] if m["role"] == role and m.get("content")]


async def test_an_approval_is_given(
    agui: AgUiClient, provider: FakeProvider, books: Books, generation: str
) -> None:
    provider.scenario = asking(("send_mail", MAIL), ("calculator", {"expression": "6*7"}))
    seen = await talk(agui, generation, payload={"approved": True})
    first, second = seen["turns"]
    [asked] = first["interrupts"]
    assert asked["toolCallId"] in first["calls"]
    assert second["interrupts"] == []
    assert words(seen, "assistant") == ["The work is done."]
    assert sorted(words(seen, "tool")) == [
        "42",
        "The mail to ann@b.example was put into the outbox.",
    ]
    assert await books.one("SELECT count(*) FROM outbox") == 1


async def test_a_tool_of_the_client_is_run(
    agui: AgUiClient, provider: FakeProvider, generation: str
) -> None:
    provider.scenario = asking(("pick_file", {}))
    seen = await talk(agui, generation, tools=[PICK], result="a.pdf")
    first, _ = seen["turns"]
    assert first["pending"] == (first["calls"] if generation == "agui-1.0" else None)
    assert words(seen, "assistant") == ["The work is done."]
    assert words(seen, "tool") == ["a.pdf"]
