"""The kinds of turns of which a stream is recorded. Another kind is another entry of `KINDS`."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final
from uuid import uuid4

from tests.fakes.agui_client import AgUiClient, Turn
from tests.fakes.chat_script import chat_script, judged
from tests.fakes.provider.scenario import Scenario
from tests.fakes.provider.server import FakeProvider
from tests.flows.todos import rounds, todo_call

SUM: Final = {"name": "calculator", "arguments": '{"expression": "17*23"}'}
QUESTION: Final = {"questions": [{"question": "Which colour?", "choices": ["red", "blue"]}]}
ASK: Final = {"name": "ask_user", "arguments": json.dumps(QUESTION)}
MAIL: Final = {"to": ["ann@b.example"], "subject": "Hello", "body": "See you."}
SEND: Final = {"name": "send_mail", "arguments": json.dumps(MAIL)}
SEARCH: Final = {"name": "web_search", "arguments": '{"query": "cats"}'}
PLAN: Final = {"title": "Write to Ann", "steps": ["Send the mail"]}
SHOW: Final = {"name": "request_plan_approval", "arguments": json.dumps(PLAN)}
BROKEN: Final = [
    {"name": "calculator", "arguments": '{"expression": "1+'},
    {"name": "no_such_tool", "arguments": "{}"},
]
PICK: Final = {
    "name": "pick_file",
    "description": "Lets the user pick a file.",
    "parameters": {"type": "object", "properties": {}},
}
BOTH: Final = ("agui-1.0", "agui-0.0")
STEERED: Final = "/v1/agent-chat/steered"

Play = Callable[[AgUiClient, FakeProvider], Awaitable[Turn]]


@dataclass(frozen=True, slots=True)
class Kind:
    """`play` gives the turn to record, with a client of `protocol`; None: of a 0.x client.

    `clients` are the generations of official clients that take it. `whole`: it tells all that was
    said in the session, not only what its run adds.
    """

    name: str
    play: Play
    protocol: str | None = "1.0"
    clients: tuple[str, ...] = BOTH
    whole: bool = False


def asks(text: str = "What is 17*23?", **script: Any) -> Play:
    """One turn of which the provider plays the part of the models."""

    async def play(agui: AgUiClient, provider: FakeProvider) -> Turn:
        provider.scenario = chat_script(**script)
        return await agui.ask(text)

    return play


def calls(tool: dict[str, str]) -> Scenario:
    return chat_script(complexity="simple", execution={"tools": [tool]})


async def cancelled(agui: AgUiClient, provider: FakeProvider) -> Turn:
    stalls = {"text": None, "chunks": 3, "fault": "stall", "fault_at": 2}
    provider.scenario = chat_script(organization=stalls)
    async with agui.open("Take your time.") as (turn, events):
        async for event in events:
            if event["type"] == "TEXT_MESSAGE_CONTENT" and "w00001" in turn.text:
                await agui.http.post(f"/v1/runs/{turn.headers['x-run-id']}/cancel")
    return turn.finish()


async def budget_spent(agui: AgUiClient, provider: FakeProvider) -> Turn:
    provider.scenario = chat_script()
    thread = str(uuid4())
    await agui.http.post("/v1/sessions", json={"id": thread})
    await agui.http.patch(f"/v1/sessions/{thread}", json={"budget": "0.000001"})
    return await agui.ask("What is 17*23?", thread_id=thread)


def waits(tool: dict[str, str]) -> Play:
    async def play(agui: AgUiClient, provider: FakeProvider) -> Turn:
        provider.scenario = calls(tool)
        return await agui.ask("Paint it.", tools=[PICK])

    return play


async def planned(agui: AgUiClient, provider: FakeProvider) -> Turn:
    """In plan mode, with a call that comes too early."""
    provider.scenario = chat_script(complexity="simple", execution={"tools": [SHOW, SEND]})
    thread = str(uuid4())
    await agui.http.post("/v1/sessions", json={"id": thread})
    await agui.http.patch(f"/v1/sessions/{thread}", json={"mode": "plan"})
    return await agui.ask("Write to Ann.", thread_id=thread)


async def plan_given(agui: AgUiClient, provider: FakeProvider) -> Turn:
    return await resumed(agui, await planned(agui, provider), {"approved": True})


async def resumed(agui: AgUiClient, first: Turn, payload: dict[str, Any]) -> Turn:
    resume = [
        {"interruptId": each["id"], "status": "resolved", "payload": payload}
        for each in first.last["outcome"]["interrupts"]
    ]
    return await agui.ask("", thread_id=first.thread_id, messages=[], resume=resume)


def answered(tool: dict[str, str], payload: dict[str, Any]) -> Play:
    async def play(agui: AgUiClient, provider: FakeProvider) -> Turn:
        return await resumed(agui, await waits(tool)(agui, provider), payload)

    return play


async def continued(agui: AgUiClient, provider: FakeProvider) -> Turn:
    failed = await asks(organization={"fault": "status", "status": 400})(agui, provider)
    provider.scenario = chat_script()
    return await agui.go_on(failed.headers["x-run-id"])


async def connected(agui: AgUiClient, provider: FakeProvider) -> Turn:
    first = await asks(execution={"tools": [SUM]})(agui, provider)
    async with agui.connect(first.thread_id) as (turn, events):
        async for _ in events:
            pass
    return turn


async def steering(agui: AgUiClient, provider: FakeProvider) -> tuple[Turn, Turn]:
    """A turn, and the one of a message that came while its first model was answering."""
    held = {"text": judged("simple"), "chunks": 5, "held": True}
    provider.scenario = chat_script(intent=held)
    async with agui.open("What is 17*23?", path=STEERED) as (first, events):
        async for event in events:
            if event["type"] == "REASONING_MESSAGE_CONTENT":
                break
        more = agui.open("And in words, please.", path=STEERED, thread_id=first.thread_id)
        async with more as (second, others):
            provider.release()
            async for _ in others:
                pass
        async for _ in events:
            pass
    return first.finish(), second.finish()


async def steered(agui: AgUiClient, provider: FakeProvider) -> Turn:
    return (await steering(agui, provider))[0]


async def steered_run(agui: AgUiClient, provider: FakeProvider) -> Turn:
    return (await steering(agui, provider))[1]


async def listed(agui: AgUiClient, provider: FakeProvider) -> Turn:
    first, then, last = (">look", "-write"), ("xlook", ">write"), ("xlook", "xwrite")
    provider.scenario = rounds(*([todo_call(*steps)] for steps in (first, then, last)))
    return await agui.ask("Write a report.")


KINDS: Final = {
    kind.name: kind
    for kind in (
        Kind("plain", asks()),
        Kind("skipped-stage", asks(complexity="simple")),
        Kind("tools", asks(execution={"tools": [SUM]})),
        Kind("sources", asks("Find cats.", execution={"tools": [SEARCH], "text": "Cats [1]."})),
        Kind("todo-list", listed),
        Kind("reasoning", asks(organization={"reasoning": 2})),
        Kind("failed", asks(execution={"fault": "status", "status": 400})),
        Kind("cut-off", asks(organization={"fault": "drop", "fault_at": 2})),
        Kind("cancelled", cancelled, clients=("agui-1.0",)),
        Kind("cancelled-0.x", cancelled, protocol=None),
        Kind("budget-spent", budget_spent),
        Kind("continued", continued),
        Kind("question", waits(ASK)),
        Kind("question-answered", answered(ASK, {"answers": ["red"]})),
        Kind("approval", waits(SEND)),
        Kind("approval-given", answered(SEND, {"approved": True})),
        Kind("plan", planned),
        Kind("plan-given", plan_given),
        Kind("broken-calls", asks(execution={"tools": BROKEN})),
        Kind("client-tool", waits({"name": "pick_file", "arguments": "{}"}), clients=("agui-1.0",)),
        Kind("client-tool-0.x", waits({"name": "pick_file", "arguments": "{}"}), protocol=None),
        Kind("connect", connected, whole=True),
        Kind("steered", steered),
        Kind("steered-run", steered_run),
    )
}
