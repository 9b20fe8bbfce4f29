"""An agent of a real crew calls tools, well and badly."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import BaseModel

from callsheet.events.agent import AgentFinished
from callsheet.events.text import TextStarted
from callsheet.events.tool import ToolResult
from callsheet.llm.chat import FinishPart
from callsheet.llm.errors import ProviderError
from callsheet.tools.context import ToolContext
from tests.fakes.chat import ScriptedChat, calls, text, thought
from tests.fakes.stage import agent, stage_work
from tests.live_crewai.playing import Play


class City(BaseModel):
    city: str


class Weather:
    name = "weather"
    description = "The weather of a city."
    Args = City

    async def run(self, args: Any, ctx: ToolContext) -> str:
        return f"sunny in {args.city}"


async def test_a_tool_is_called_and_its_result_goes_back_with_the_reasoning() -> None:
    asked = [*thought("I should look.", "")[:1], *calls(("weather", {"city": "Rome"}))]
    chat = ScriptedChat([asked, text("It is sunny.")])
    play = Play.of(chat, tools=[Weather()])
    result = await play.run(stage_work([agent(tools=("weather",))]))
    assert result.text == "It is sunny."
    (outcome,) = play.recording.of(ToolResult)
    assert (outcome.tool, outcome.status, outcome.content) == ("weather", "ok", "sunny in Rome")
    assistant, answer = chat.requests[1].messages[-2:]
    assert assistant["reasoning_content"] == "I should look."
    assert assistant["tool_calls"][0]["id"] == answer["tool_call_id"] == outcome.tool_call_id
    play.recording.end()


async def test_an_unknown_tool_gets_a_short_answer_that_lists_nothing() -> None:
    chat = ScriptedChat([calls(("no_such_tool", {})), text("Fine.")])
    play = Play.of(chat, tools=[Weather()])
    await play.run(stage_work())
    (outcome,) = play.recording.of(ToolResult)
    assert outcome.status == "error"
    assert "weather" not in outcome.content
    play.recording.end()


@pytest.mark.parametrize(
    "arguments", ['{"city": Infinity}', '{"city": 1e999}', "", "null", "[]", '{"city": "Ro']
)
async def test_broken_arguments_go_back_to_the_model(arguments: str) -> None:
    chat = ScriptedChat([calls(("weather", arguments)), text("Sorry.")])
    play = Play.of(chat, tools=[Weather()])
    result = await play.run(stage_work([agent(tools=("weather",))]))
    assert result.text == "Sorry."
    assert play.recording.of(ToolResult)[0].status == "error"
    assert isinstance(json.loads(_sent_arguments(chat)), dict)
    play.recording.end()


def _sent_arguments(chat: ScriptedChat) -> str:
    arguments: str = chat.requests[1].messages[-2]["tool_calls"][0]["function"]["arguments"]
    return arguments


async def test_an_empty_answer_after_a_tool_is_a_normal_end() -> None:
    chat = ScriptedChat([calls(("weather", {"city": "Rome"})), [(FinishPart("stop"),)]])
    play = Play.of(chat, tools=[Weather()])
    result = await play.run(stage_work([agent(tools=("weather",))]))
    assert (result.text, result.message_id) == ("", None)
    assert [event.status for event in play.recording.of(AgentFinished)] == ["done"]
    assert play.recording.of(TextStarted) == []
    play.recording.end()


async def test_a_failed_call_ends_the_agent_and_says_why() -> None:
    play = Play.of(ScriptedChat([[ProviderError("no", code="provider_refused")]]))
    with pytest.raises(ProviderError):
        await play.run(stage_work())
    (finished,) = play.recording.of(AgentFinished)
    assert (finished.status, finished.message) == ("failed", "no")
    play.recording.end()
