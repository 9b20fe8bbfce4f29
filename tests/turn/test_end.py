"""The last moments of a turn: the end is committed before anybody is told."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from callsheet.events.run import RunFailed, RunFinished
from callsheet.events.stage import StageStarted
from callsheet.events.union import TERMINAL
from callsheet.kit.clock import SystemClock
from callsheet.kit.errors import Unavailable
from callsheet.sessions.settings import SessionSettings
from callsheet.turn.engine import TurnEngine
from callsheet.turn.outcome import Answered, Failed
from callsheet.turn.request import TurnRequest
from callsheet.turn.turn import Turns
from callsheet.turn.view import Earlier
from tests.turn.scripted import (
    NoHistory,
    OnePrice,
    PlainRule,
    ScriptedRunner,
    request,
    stage,
    workflow,
)
from tests.turn.test_run_meter import GatedLog

ONE = workflow(stage("answer", visible=True))


def turns(history: object | None = None) -> Turns:
    engine = TurnEngine(ScriptedRunner(), history or NoHistory(), SystemClock())  # type: ignore[arg-type]
    return Turns(engine, OnePrice(), SystemClock())


async def test_a_turn_returns_only_after_its_end_is_committed() -> None:
    log = GatedLog()
    task = asyncio.ensure_future(turns().run(request(), ONE, log, lambda: "user"))
    await log.waiting.wait()
    await asyncio.sleep(0)
    assert not task.done()
    assert isinstance(log.events[-1], RunFinished)
    log.commit.set()
    assert isinstance(await task, Answered)


async def test_a_stop_that_comes_too_late_still_waits_for_the_commit() -> None:
    """Whoever stopped it reads the run next, and must find it ended."""
    log = GatedLog()
    task = asyncio.ensure_future(turns().run(request(), ONE, log, lambda: "user"))
    await log.waiting.wait()
    task.cancel()
    for _ in range(3):
        await asyncio.sleep(0)
    assert not task.done()
    log.commit.set()
    assert isinstance(await task, Answered)
    assert [type(event) for event in log.of(*TERMINAL)] == [RunFinished]


async def test_an_end_that_cannot_be_written_is_told() -> None:
    log = GatedLog()
    log.failure = Unavailable("away")
    log.commit.set()
    with pytest.raises(Unavailable):
        await turns().run(request(), ONE, log, lambda: "user")


class Counting:
    """Implements `History`: seven messages, or a database that is away."""

    def __init__(self, failure: Unavailable | None = None) -> None:
        self.failure = failure
        self.read = 0

    async def before(self, request: TurnRequest) -> Earlier:
        self.read += 1
        if self.failure is not None:
            raise self.failure
        return Earlier(message_count=7)


async def test_a_rule_sees_the_message_count_though_no_stage_wants_the_history() -> None:
    rule = PlainRule(lambda v: v["session"]["message_count"] == 7)
    rule.expression = "session.message_count == 7"
    only = workflow(stage("greeting", skip_when=rule), stage("answer", visible=True))
    log, history = GatedLog(), Counting()
    log.commit.set()
    outcome = await turns(history).run(request(), only, log, lambda: "user")
    assert isinstance(outcome, Answered)
    assert outcome.text == "answer"
    assert len(log.events) == 5


async def test_a_rule_sees_the_mode_of_the_session_and_nothing_is_read_for_it() -> None:
    rule = PlainRule(lambda v: v["session"]["mode"] == "plan")
    rule.expression = 'session.mode == "plan"'
    only = workflow(stage("work", skip_when=rule), stage("answer", visible=True))
    for settings, stages in ((SessionSettings(), 2), (SessionSettings(mode="plan"), 1)):
        log, history = GatedLog(), Counting()
        log.commit.set()
        wanted = replace(request(), settings=settings)
        await turns(history).run(wanted, only, log, lambda: "user")
        assert len(log.of(StageStarted)) == stages
        assert history.read == 0


async def test_a_history_that_cannot_be_read_fails_the_run_and_nothing_else() -> None:
    log = GatedLog()
    log.commit.set()
    history = Counting(Unavailable("The database does not answer."))
    only = workflow(stage("answer", visible=True, history=True))
    outcome = await turns(history).run(request(), only, log, lambda: "user")
    assert outcome == Failed(code="unavailable", message="The database does not answer.")
    assert isinstance(log.events[-1], RunFailed)


async def test_a_workflow_that_does_not_look_back_reads_nothing() -> None:
    log, history = GatedLog(), Counting()
    log.commit.set()
    await turns(history).run(request(), ONE, log, lambda: "user")
    assert history.read == 0
