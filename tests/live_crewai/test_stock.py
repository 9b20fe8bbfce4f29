"""Crews that are kicked off ahead are used once, and only by the revision they are made for."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest
from structlog.testing import capture_logs

from callsheet.kit.errors import Unavailable
from callsheet.kit.log import get_log, log_context
from callsheet.llm.model import Model
from callsheet.turn.ports import StageWork
from tests.fakes.chat import OneModel, ScriptedChat, text
from tests.fakes.stage import agent, stage_work, task
from tests.live_crewai.playing import Play


@pytest.fixture
async def stock() -> AsyncIterator[Any]:
    from callsheet.crew.stock import CrewStock  # only once CrewAI is loaded

    made = CrewStock()
    yield made
    await closed(made)


def taken(stock: Any, work: StageWork) -> Any:
    stock.refill(work)
    return stock.spare(work)


async def closed(thing: Any) -> None:
    """End what waits on stage, and let it end."""
    thing.close()
    await gone()


async def gone() -> None:
    """Return once nothing of a crew is left on the loop."""
    async with asyncio.timeout(5):
        while any(task.get_name().startswith("crew:") for task in asyncio.all_tasks()):
            await asyncio.sleep(0)


async def alone() -> None:
    """Return once this test is all that is left on the loop."""
    async with asyncio.timeout(5):
        while others():
            await asyncio.sleep(0)


def others() -> set[asyncio.Task[Any]]:
    """Whatever is on the loop beside this test."""
    return asyncio.all_tasks() - {asyncio.current_task()}


def side_by_side() -> StageWork:
    """Two tasks at once, and one that builds on them."""
    first = [task(name, "a", async_execution=True) for name in ("one", "two")]
    return stage_work((agent("a"),), (*first, task("three", "a", context=("one", "two"))))


def broken(inputs: Any) -> Any:
    """A kickoff that fails inside CrewAI."""
    raise RuntimeError("broken")


class NoModels(OneModel):
    """An edit of the catalog took them."""

    def get(self, model_code: str) -> Model:
        raise Unavailable(f"{model_code} is gone", service="llm")


def things(performance: Any) -> set[int]:
    """Everything of a crew that a run could leave something in."""
    shell = performance._shell
    parts = [performance, shell.crew, *shell.crew.agents, *shell.crew.tasks]
    parts += [role.model for role in shell.roles.values()]
    parts += [each.agent_executor for each in shell.crew.agents]
    return {id(part) for part in parts}


async def test_a_spare_crew_is_given_out_once_and_shares_nothing_with_the_next(stock: Any) -> None:
    work = stage_work((agent("a"), agent("b")), (task("one", "a"), task("two", "b")))
    assert stock.spare(work) is None
    stock.refill(work)
    performances = [taken(stock, work) for _ in range(3)]
    assert stock.spare(work) is None
    seen = [things(each) for each in performances]
    assert len(set.union(*seen)) == sum(len(each) for each in seen)
    for each in performances:
        each.stop()
    await gone()


async def test_an_edit_is_not_answered_by_a_crew_of_before(stock: Any) -> None:
    work = stage_work()
    stock.refill(work)
    edited = replace(work, workflow=replace(work.workflow, revision="r2"))
    assert stock.spare(edited) is None
    assert stock.spare(work) is None
    await gone()


async def test_an_edit_that_names_a_stage_anew_leaves_nobody_waiting(stock: Any) -> None:
    work = stage_work()
    stock.refill(work)
    stage = replace(work.stage, name="answering")
    stock.spare(replace(work, stage=stage, workflow=replace(work.workflow, revision="r2")))
    await gone()


async def test_tasks_that_wait_side_by_side_are_stopped_together(stock: Any) -> None:
    stock.refill(side_by_side())
    for _ in range(10):
        await asyncio.sleep(0)
    assert len(others()) == 3  # the kickoff and both tasks
    stock.close()
    await alone()


async def test_tasks_side_by_side_are_stopped_where_a_model_of_theirs_is_gone() -> None:
    play = Play.of(ScriptedChat(), ahead=True, models=NoModels())
    play.runner._stock.refill(side_by_side())
    for _ in range(10):
        await asyncio.sleep(0)
    with pytest.raises(Unavailable):
        await play.run(side_by_side())
    play.runner.close()
    await alone()


async def test_a_run_is_not_given_a_crew_whose_kickoff_has_failed() -> None:
    play = Play.of(ScriptedChat([text("Done.")]), ahead=True)
    play.runner._stock.refill(stage_work())
    ((_, performance),) = play.runner._stock._spare.values()
    performance._shell.crew.before_kickoff_callbacks.append(broken)
    await gone()
    assert (await play.run(stage_work())).text == "Done."
    await closed(play.runner)


async def test_what_waits_is_stopped_when_the_stock_is_closed(stock: Any) -> None:
    work = stage_work()
    stock.refill(work)
    await asyncio.sleep(0)
    assert any(each.get_name().startswith("crew:") for each in asyncio.all_tasks())
    stock.close()
    stock.refill(work)
    await gone()


async def test_what_one_run_was_told_is_not_in_the_next() -> None:
    chat = ScriptedChat(choose=lambda _: text("Done."))
    play = Play.of(chat, ahead=True)
    for message in ("the first secret", "second", "third"):
        await play.run(stage_work(message=message))
        await play.restocked()
    told = [str(request.messages) for request in chat.requests]
    assert ["the first secret" in each for each in told] == [True, False, False]
    await closed(play.runner)


async def test_what_is_logged_on_stage_carries_the_ids_of_the_run_and_of_no_other() -> None:
    log = get_log("test")

    def choose(_: Any) -> Any:
        log.info("asked")
        return text("Done.")

    play = Play.of(ScriptedChat(choose=choose), ahead=True)
    with capture_logs(processors=[_with_ids]) as lines:
        for run_id in ("one", "two", "three"):
            with log_context(run_id=run_id):
                await play.run(stage_work())
                await play.restocked()
    assert [line.get("run_id") for line in lines if line["event"] == "asked"] == [
        "one",
        "two",
        "three",
    ]
    await closed(play.runner)


def _with_ids(logger: Any, method: str, event: Any) -> Any:
    import structlog

    return structlog.contextvars.merge_contextvars(logger, method, event)
