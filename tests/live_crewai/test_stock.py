"""Crews that are built ahead are used once, and only by the revision that they were built for."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from callsheet.turn.ports import StageWork
from tests.fakes.chat import ScriptedChat, text
from tests.fakes.stage import agent, stage_work, task
from tests.live_crewai.playing import Play


def stocked(work: StageWork) -> Any:
    from callsheet.crew.stock import CrewStock  # only once CrewAI is loaded

    stock = CrewStock()
    stock.refill(work)
    return stock


def things(shell: Any) -> set[int]:
    """Everything of a crew that a run could leave something in."""
    parts = [shell.crew, *shell.crew.agents, *shell.crew.tasks]
    parts += [role.model for role in shell.roles.values()]
    parts += [each.agent_executor for each in shell.crew.agents]
    return {id(part) for part in parts}


async def test_a_spare_crew_is_given_out_once_and_shares_nothing_with_the_next() -> None:
    work = stage_work((agent("a"), agent("b")), (task("one", "a"), task("two", "b")))
    stock = stocked(work)
    shells = [stock.take(work) for _ in range(2)]
    stock.refill(work)
    stock.refill(work)
    shells += [stock.take(work) for _ in range(2)]
    seen = [things(shell) for shell in shells]
    assert len(set.union(*seen)) == sum(len(each) for each in seen)


async def test_an_edit_is_not_answered_by_a_crew_of_before() -> None:
    work = stage_work()
    stock = stocked(work)
    edited = replace(
        work,
        workflow=replace(work.workflow, revision="r2"),
        stage=replace(work.stage, agents={"writer": agent(role="another role")}),
    )
    assert [each.role for each in stock.take(edited).crew.agents] == ["another role"]
    assert [each.role for each in stock.take(work).crew.agents] == ["writer role"]


async def test_what_one_run_was_told_is_not_in_the_next() -> None:
    chat = ScriptedChat(choose=lambda _: text("Done."))
    play = Play.of(chat)
    for message in ("the first secret", "second", "third"):
        await play.run(stage_work(message=message))
    told = [str(request.messages) for request in chat.requests]
    assert ["the first secret" in each for each in told] == [True, False, False]
