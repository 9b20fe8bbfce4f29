"""Runs that come to wait, through HTTP, and the answers to them."""

from __future__ import annotations

import json
from typing import Any

from tests.fakes.agui_client import AgUiClient, Turn
from tests.fakes.chat_script import chat_script
from tests.fakes.provider.scenario import Scenario
from tests.fakes.provider.server import FakeProvider

MAIL = {"to": ["ann@b.example"], "subject": "Hello", "body": "See you."}
QUESTION = {"questions": [{"question": "Which colour?", "choices": ["red", "blue"]}]}


def asking(*calls: tuple[str, Any], **more: Any) -> Scenario:
    """An executing agent that calls these tools, then answers."""
    tools = [{"name": name, "arguments": json.dumps(args)} for name, args in calls]
    return chat_script(complexity="simple", execution={"tools": tools, **more})


async def waits(agui: AgUiClient, provider: FakeProvider, *calls: tuple[str, Any]) -> Turn:
    """A turn that ends by waiting."""
    provider.scenario = asking(*(calls or (("ask_user", QUESTION),)))
    turn = await agui.ask("Paint it.")
    assert turn.breaches == []
    assert turn.last["outcome"]["type"] == "interrupt"
    return turn


def interrupts(turn: Turn) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = turn.last["outcome"]["interrupts"]
    return found


def resolved(interrupt: dict[str, Any], payload: Any) -> dict[str, Any]:
    return {"interruptId": interrupt["id"], "status": "resolved", "payload": payload}


def dropped(interrupt: dict[str, Any]) -> dict[str, Any]:
    return {"interruptId": interrupt["id"], "status": "cancelled"}


async def answer(agui: AgUiClient, before: Turn, *resume: Any, **more: Any) -> Turn:
    """The next request of the thread: answers, and no new message."""
    body = {"thread_id": before.thread_id, "resume": list(resume), "messages": [], **more}
    return await agui.ask("", **body)


def told(provider: FakeProvider) -> list[str]:
    """What the model was last told of its tools."""
    return [m["content"] for m in provider.bodies[-1]["messages"] if m["role"] == "tool"]
