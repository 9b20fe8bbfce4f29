"""What is said while a turn is under way reaches the stages that follow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from callsheet.events.steered import Steered
from callsheet.events.union import AnyRunEvent
from callsheet.kit.clock import SystemClock
from callsheet.kit.errors import TurnFailed
from callsheet.turn.engine import TurnEngine
from callsheet.turn.meter import Meter
from callsheet.turn.outcome import Answered
from callsheet.turn.ports import Emit, OnTheWay, StageWork
from callsheet.turn.record import Past, fold
from callsheet.turn.request import TurnRequest
from callsheet.turn.turn import Turns
from callsheet.turn.view import StageResult
from callsheet.workflows.workflow import Workflow
from tests.turn.scripted import (
    RETRY_ONCE,
    MemoryLog,
    NoHistory,
    OnePrice,
    ScriptedRunner,
    request,
    stage,
    workflow,
)

STEERED = replace(
    workflow(stage("first"), stage("second", retry=RETRY_ONCE), stage("third", visible=True)),
    when_busy="steer",
)


class Said:
    """Implements `Steering`: one message each time that somebody asks."""

    def __init__(self) -> None:
        self.asked: list[TurnRequest] = []

    async def next(self, request: TurnRequest) -> Sequence[OnTheWay]:
        self.asked.append(request)
        number = str(len(self.asked))
        return [OnTheWay(run_id=number, message_id=number, text=f"wish {number}")]


def listening(told: list[tuple[str, str]], fails: Sequence[int] = ()) -> Any:
    """Keeps what the stage is told, and asks once for what was said meanwhile."""

    async def play(work: StageWork, emit: Emit, meter: Meter) -> StageResult:
        told.append((work.stage.name, work.view.variables()["message"]["text"]))
        if work.steering is not None:
            for each in await work.steering():
                said = Steered(
                    run_id=each.run_id,
                    message_id=each.message_id,
                    text=each.text,
                    path=f"{work.stage.name}#{work.attempt}/t",
                    iteration=0,
                )
                emit(said)
                work.record.take(said)
        if work.attempt in fails:
            raise TurnFailed("no", code="invalid_output")
        return StageResult(text=work.stage.name)

    return play


async def run(
    only: Workflow, runner: ScriptedRunner, said: Said, past: Past | None = None
) -> list[AnyRunEvent]:
    engine = TurnEngine(runner, NoHistory(), SystemClock(), said)
    log = MemoryLog()
    turns = Turns(engine, OnePrice(), SystemClock())
    outcome = await turns.run(request(), only, log, lambda: "user", past)
    assert isinstance(outcome, Answered)
    return log.events


async def test_the_stages_that_follow_know_it_and_a_further_attempt_does() -> None:
    told: list[tuple[str, str]] = []
    plays = {"first": listening(told), "second": listening(told, [1]), "third": listening(told)}
    events = await run(STEERED, ScriptedRunner(**plays), Said())
    assert told == [
        ("first", "Hello"),
        ("second", "Hello\n\nwish 1"),
        ("second", "Hello\n\nwish 1\n\nwish 2"),
        ("third", "Hello\n\nwish 1\n\nwish 2\n\nwish 3"),
    ]
    said = [n for n, event in enumerate(events) if isinstance(event, Steered)]
    assert len(said) == 4
    for last in range(said[2] + 1, len(events)):  # cut off anywhere in what came of the third
        before = events[:last]
        again: list[tuple[str, str]] = []
        play = listening(again)
        runner = ScriptedRunner(first=play, second=play, third=play)
        past = Past(record=fold(before))
        await run(replace(STEERED, when_busy="refuse"), runner, Said(), past)
        assert again == [each for each in told[2:] if each[0] in dict(again)]


async def test_nobody_asks_where_the_workflow_does_not_say_so() -> None:
    told: list[tuple[str, str]] = []
    said = Said()
    play = listening(told)
    for only in ("refuse", "queue"):
        await run(
            replace(STEERED, when_busy=only),
            ScriptedRunner(first=play, second=play, third=play),
            said,
        )
    assert said.asked == []
    assert {text for _, text in told} == {"Hello"}
