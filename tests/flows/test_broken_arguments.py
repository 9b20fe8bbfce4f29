"""Calls that cannot work, through HTTP: each goes back to the model as an error, within a bound."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.fakes.agui_client import AgUiClient
from tests.fakes.books import Books
from tests.fakes.chat_script import chat_script
from tests.fakes.deployment import Deployment
from tests.fakes.provider.server import FakeProvider
from tests.fixtures.app import Serve
from tests.flows.test_tools import SUM, asks, results

BROKEN = [
    ("no_such_tool", "{}"),
    ("python_executor_", "{}"),
    ("calculator", ""),
    ("calculator", "null"),
    ("calculator", "[]"),
    ("calculator", '"1+1"'),
    ("calculator", '{"expression": "1+'),
    ("calculator", '{"expression": Infinity}'),
    ("calculator", '{"expression": NaN}'),
    ("calculator", '{"expression": 1e999}'),
    ("calculator", SUM + SUM),
    ("calculator", SUM + " and more"),
    ("calculator", "{'expression': '1+1'}"),
    ("calculator", '{"expression": {"deep": 1}}'),
    ("calculator", "[" * 20_000),
    ("calculator", '{"expression": "1/0"}'),
    ("current_time", '{"timezone": "Mars"}'),
    ("ask_user", '{"questions": []}'),
    ("send_mail", '{"to": ["nobody"], "subject": "s", "body": "b"}'),
    ("request_plan_approval", '{"title": "t", "steps": []}'),
]


@pytest.mark.parametrize(("name", "text"), BROKEN)
async def test_a_call_that_cannot_work_goes_back_to_the_model_as_an_error(
    agui: AgUiClient, provider: FakeProvider, books: Books, name: str, text: str
) -> None:
    provider.scenario = asks((name, text))
    turn = await agui.ask("try")

    assert turn.breaches == []
    assert turn.last["type"] == "RUN_FINISHED"
    assert turn.text == "The work is done."
    [result] = results(turn)
    assert result.startswith("Error: ")
    assert len(result) < 400
    for other in ("current_time", "send_mail", "ask_user"):
        assert other not in result or name == other
    kept = await books.rows(
        "SELECT metadata->'tool'->>'status' AS s FROM messages WHERE role='tool'"
    )
    assert kept == [{"s": "error"}]
    sent = provider.bodies[-1]["messages"]
    [asked] = [m for m in sent if m.get("tool_calls")]
    for call in asked["tool_calls"]:  # endpoints refuse a history that they cannot read
        assert isinstance(json.loads(call["function"]["arguments"]), dict)
    assert await books.audit() == {}


async def test_pieces_that_nothing_tells_apart_go_back_as_errors(
    agui: AgUiClient, provider: FakeProvider, books: Books
) -> None:
    calls = (("calculator", SUM), ("current_time", '{"timezone": "UTC"}'))
    provider.scenario = asks(*calls, tool_mix="bare")
    turn = await agui.ask("try")
    assert turn.breaches == []
    assert turn.text == "The work is done."
    assert any("not valid JSON" in each for each in results(turn))
    assert await books.audit() == {}


@pytest.mark.parametrize("rounds", [3, 1])
async def test_a_model_that_never_mends_its_call_has_to_answer_without(
    deployment: Deployment, serve: Serve, provider: FakeProvider, rounds: int
) -> None:
    more: dict[str, Any] = {} if rounds == 3 else {"limits": {"failed_tool_rounds": rounds}}
    async with serve(deployment, **more) as (agui, books):
        broken = {"name": "calculator", "arguments": '{"expression": '}
        provider.scenario = chat_script(
            complexity="simple", execution={"tools": [broken], "tools_always": True}
        )
        turn = await agui.ask("loop")
        assert turn.breaches == []
        assert turn.text == "The work is done."
        assert len(results(turn)) == rounds
        assert not provider.bodies[-1].get("tools")
        assert await books.audit() == {}


async def test_a_model_that_asks_for_tools_without_end_is_stopped(
    agui: AgUiClient, provider: FakeProvider
) -> None:
    """After max_iter rounds it must answer with what it has."""
    provider.scenario = chat_script(
        complexity="simple",
        execution={"tools": [{"name": "calculator", "arguments": SUM}], "tools_always": True},
    )
    turn = await agui.ask("loop")
    assert turn.breaches == []
    assert len(turn.of("TOOL_CALL_START")) <= 10
    assert provider.stats.requests <= 13
