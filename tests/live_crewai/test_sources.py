"""Sources of real crews: numbered together for all agents of a turn, kept with its answer alone."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from callsheet.events.call import AnswerFinished
from callsheet.events.source import SourceFound
from callsheet.events.tool import ToolResult
from callsheet.llm.chat import ChatRequest
from callsheet.tools.context import ToolContext
from callsheet.tools.source import Source
from callsheet.tools.sourced import Sourced, sourced
from tests.fakes.chat import Script, ScriptedChat, calls, text
from tests.fakes.stage import agent, stage_work, task
from tests.live_crewai.playing import Play


class Pages(BaseModel):
    pages: list[str]


class Library:
    name = "library"
    description = "Finds pages."
    Args = Pages

    async def run(self, args: Pages, ctx: ToolContext) -> Sourced:
        return sourced("found", [Source(f"https://{page}.example/", page) for page in args.pages])


async def test_a_coworkers_sources_are_numbered_with_those_of_who_asked() -> None:
    def choose(request: ChatRequest) -> Script:
        is_boss = "boss role" in request.messages[0]["content"]
        given = [m["content"] for m in request.messages if m["role"] == "tool"]
        if not is_boss:
            return text("worker [2]") if given else calls(("library", {"pages": ["b", "a"]}))
        if not given:
            return calls(("library", {"pages": ["a"]}))
        if len(given) == 1:
            order = {"coworker": "worker", "task": "Dig.", "context": "Deep."}
            return calls(("delegate_work_to_coworker", order))
        return text("boss [1][2]")

    play = Play.of(ScriptedChat(choose=choose), tools=[Library()])
    staff = [
        agent("boss", allow_delegation=True, tools=("library",)),
        agent("worker", tools=("library",)),
    ]
    result = await play.run(stage_work(staff, [task("lead", "boss")]))
    assert result.text == "boss [1][2]"
    found = [(event.number, event.title) for event in play.recording.of(SourceFound)]
    assert found == [(1, "a"), (2, "b")]
    told = [event.content for event in play.recording.of(ToolResult) if event.tool == "library"]
    assert told[1].splitlines()[1:3] == ["[2] b <https://b.example/>", "[1] a <https://a.example/>"]

    answers: dict[str, Any] = {}
    for event in play.recording.of(AnswerFinished):
        answers[event.text] = event.metadata
    assert [each["number"] for each in answers["boss [1][2]"]["sources"]] == [1, 2]
    assert answers["worker [2]"] == {}  # an inner word is no answer to the user
    assert answers[""] == {}  # nor is a call for tools
    play.recording.end()
