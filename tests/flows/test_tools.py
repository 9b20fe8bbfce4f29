"""A tool round through HTTP: what the client sees, what the model gets back, what is kept."""

from __future__ import annotations

import json
from typing import Any

from tests.fakes.agui_client import AgUiClient, Turn
from tests.fakes.books import Books
from tests.fakes.chat_script import chat_script
from tests.fakes.provider.server import FakeProvider

SUM = '{"expression": "17*23"}'


def asks(*calls: tuple[str, str], **more: Any) -> Any:
    tools = [{"name": name, "arguments": arguments} for name, arguments in calls]
    return chat_script(complexity="simple", execution={"tools": tools, **more})


def results(turn: Turn) -> list[str]:
    return [event["content"] for event in turn.of("TOOL_CALL_RESULT")]


def arguments(turn: Turn) -> str:
    return "".join(event["delta"] for event in turn.of("TOOL_CALL_ARGS"))


async def test_the_tool_runs_and_the_model_gets_its_result(
    agui: AgUiClient, provider: FakeProvider, books: Books
) -> None:
    provider.scenario = asks(("calculator", SUM))
    turn = await agui.ask("17*23?")

    assert turn.breaches == []
    assert [event["toolCallName"] for event in turn.of("TOOL_CALL_START")] == ["calculator"]
    assert arguments(turn) == SUM
    assert results(turn) == ["391"]
    assert turn.text == "The work is done."
    assert provider.bodies[-1]["messages"][-1]["content"] == "391"
    assert provider.bodies[-1]["messages"][-1]["role"] == "tool"

    messages = await books.messages(turn.headers["x-session-id"])
    assert [message["role"] for message in messages] == [
        "user", "assistant", "assistant", "tool", "assistant",
    ]  # fmt: skip
    kept = json.loads(messages[3]["raw_metadata"])["tool"]
    assert (messages[3]["tool_name"], messages[3]["content"]) == ("calculator", "391")
    assert kept["name"] == "calculator"
    assert kept["status"] == "ok"
    assert len(kept["args_digest"]) == 64
    assert await books.audit() == {}


async def test_calls_whose_arguments_come_mixed_are_told_apart(
    agui: AgUiClient, provider: FakeProvider
) -> None:
    calls = (("calculator", SUM), ("current_time", '{"timezone": "UTC"}'))
    provider.scenario = asks(*calls, tool_mix="index")
    turn = await agui.ask("two things")
    assert turn.breaches == []
    got = {
        started["toolCallId"]: "".join(
            each["delta"]
            for each in turn.of("TOOL_CALL_ARGS")
            if each["toolCallId"] == started["toolCallId"]
        )
        for started in turn.of("TOOL_CALL_START")
    }
    assert list(got.values()) == [arguments for _, arguments in calls]
    assert "391" in results(turn)


async def test_arguments_that_come_in_one_block_are_shown_whole(
    agui: AgUiClient, provider: FakeProvider
) -> None:
    provider.scenario = asks(("calculator", SUM), tool_pieces=1)
    turn = await agui.ask("17*23?")
    kinds = [kind for kind in turn.kinds() if kind.startswith("TOOL_CALL")]
    assert kinds == ["TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END", "TOOL_CALL_RESULT"]
    assert arguments(turn) == SUM


async def test_tools_of_one_answer_run_side_by_side_and_each_has_one_result(
    agui: AgUiClient, provider: FakeProvider, books: Books
) -> None:
    provider.scenario = asks(
        ("calculator", SUM), ("current_time", "{}"), ("calculator", '{"expression": "1+1"}')
    )
    turn = await agui.ask("three things")

    assert turn.breaches == []
    begun = [event["toolCallId"] for event in turn.of("TOOL_CALL_START")]
    ended = [event["toolCallId"] for event in turn.of("TOOL_CALL_RESULT")]
    assert len(set(begun)) == 3
    assert sorted(begun) == sorted(ended)
    sent = [message for message in provider.bodies[-1]["messages"] if message["role"] == "tool"]
    assert {message["tool_call_id"] for message in sent} == set(begun)
    assert {"391", "2"} < {message["content"] for message in sent}
    assert await books.audit() == {}
