"""Agents that hand work to each other: identity, cost, depth, failure."""

from __future__ import annotations

import pytest

from callsheet.crew.options import CrewOptions
from callsheet.events.agent import AgentStarted
from callsheet.events.call import AnswerFinished, LlmCallStarted
from callsheet.events.tool import ToolResult
from callsheet.kit.errors import QuotaSpent
from callsheet.llm.chat import ChatRequest
from callsheet.llm.errors import ProviderError
from tests.fakes.chat import Script, ScriptedChat, calls, text
from tests.fakes.stage import agent, stage_work, task
from tests.live_crewai.playing import Play


async def test_a_coworker_has_its_own_identity_and_its_own_cost() -> None:
    def choose(request: ChatRequest) -> Script:
        system = request.messages[0]["content"]
        if "worker role" in system:
            return text("worker's answer")
        if request.messages[-1]["role"] == "tool":
            return text(f"boss: {request.messages[-1]['content']}")
        order = {"coworker": "worker", "task": "Dig.", "context": "Deep."}
        return calls(
            ("delegate_work_to_coworker", order),
            ("ask_question_to_coworker", {**order, "question": "Where?"}),
        )

    chat = ScriptedChat(choose=choose)
    play = Play.of(chat)
    work = stage_work(
        [agent("boss", allow_delegation=True), agent("worker", default_model="small")],
        [task("lead", "boss")],
    )
    result = await play.run(work)
    assert result.text == "boss: worker's answer"
    boss, *workers = play.recording.of(AgentStarted)
    assert [started.agent for started in workers] == ["worker", "worker"]
    assert {started.parent_agent_run_id for started in workers} == {boss.agent_run_id}
    results = {event.tool_call_id for event in play.recording.of(ToolResult)}
    assert {started.parent_tool_call_id for started in workers} == results
    paid = [(e.agent, e.model, e.visible) for e in play.recording.of(LlmCallStarted)]
    assert paid.count(("worker", "small", False)) == 2
    assert paid.count(("boss", "m1", True)) == 2
    paths = {event.path for event in play.recording.of(AnswerFinished)}
    assert len(paths) == 3
    assert sum(path.startswith("execution#1/lead/") for path in paths) == 2
    play.recording.end()


async def test_delegation_ends_at_its_depth() -> None:
    def choose(request: ChatRequest) -> Script:
        if not request.tools or request.messages[-1]["role"] == "tool":
            return text("enough")
        name = "b" if "a role" in request.messages[0]["content"] else "a"
        asked = {"coworker": name, "question": "You?", "context": ""}
        return calls(("ask_question_to_coworker", asked))

    chat = ScriptedChat(choose=choose)
    play = Play.of(chat, options=CrewOptions(delegation_depth=2))
    agents = [agent("a", allow_delegation=True), agent("b", allow_delegation=True)]
    assert (await play.run(stage_work(agents, [task("t", "a")]))).text == "enough"
    assert [started.agent for started in play.recording.of(AgentStarted)] == ["a", "b", "a"]
    play.recording.end()


async def test_a_coworker_that_fails_is_an_answer_for_the_one_who_asked() -> None:
    def choose(request: ChatRequest) -> Script:
        if "worker role" in request.messages[0]["content"]:
            return [ProviderError("no", code="provider_refused")]
        if request.messages[-1]["role"] == "tool":
            return text(request.messages[-1]["content"])
        asked = {"coworker": "worker", "question": "You?", "context": ""}
        return calls(("ask_question_to_coworker", asked))

    play = Play.of(ScriptedChat(choose=choose))
    work = stage_work([agent("boss", allow_delegation=True), agent("worker")], [task("t", "boss")])
    assert "provider_refused" in (await play.run(work)).text
    play.recording.end()


async def test_a_budget_that_is_spent_in_a_coworkers_call_ends_the_stage() -> None:
    """There is nobody to tell: the one who asked could not ask its model either."""

    def choose(request: ChatRequest) -> Script:
        assert request.messages[-1]["role"] != "tool", "the boss was told of it"
        asked = {"coworker": "worker", "question": "You?", "context": ""}
        asks = ("ask_question_to_coworker", asked)
        return calls(asks, asks)

    play = Play.of(ScriptedChat(choose=choose))
    play.meter.calls_within_budget = 1
    work = stage_work([agent("boss", allow_delegation=True), agent("worker")], [task("t", "boss")])
    with pytest.raises(QuotaSpent) as spent:
        await play.run(work)
    assert spent.value.error_code == "budget_spent"
    assert {event.status for event in play.recording.of(ToolResult)} == {"cancelled"}
    play.recording.end()
