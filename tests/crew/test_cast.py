"""Who is on stage, told once, and the sink that hears it from CrewAI."""

from __future__ import annotations

import asyncio
import threading
from types import SimpleNamespace
from typing import Any

from callsheet.crew.cast import Cast, label_of
from callsheet.crew.frame import Frame
from callsheet.crew.sink import LifecycleSink
from callsheet.events.agent import AgentFinished, AgentStarted, TaskFinished
from tests.fakes.stage import agent
from tests.fakes.turn import Recording


def frame(name: str) -> Frame:
    return Frame(
        agent_run_id=f"run-{name}", path=name, stage="s", agent=agent(name), task="t", visible=True
    )


def cast_of(*names: str) -> tuple[Cast, Recording]:
    recording = Recording()
    cast = Cast(recording, "zh")
    for name in names:
        cast.expect(name, frame(name))
    return cast, recording


def event(kind: str, task_id: str, error: str | None = None) -> Any:
    return SimpleNamespace(type=kind, task=SimpleNamespace(id=task_id), error=error)


def test_begin_and_end_are_told_once() -> None:
    cast, recording = cast_of("a")
    cast.enter("a")
    cast.enter("a")
    cast.leave("a", "done")
    cast.leave("a", "failed")
    assert recording.kinds()[1:] == ["AgentStarted", "AgentFinished"]
    assert recording.of(AgentFinished)[0].status == "done"


def test_a_stranger_is_nobody() -> None:
    cast, recording = cast_of()
    cast.enter("unknown")
    cast.leave("unknown", "done")
    cast.task_done("unknown")
    assert recording.kinds() == ["RunStarted"]


def test_the_last_who_came_is_the_first_to_go_and_nobody_comes_after() -> None:
    cast, recording = cast_of("a", "b", "c")
    cast.enter("a")
    cast.enter("b")
    cast.close("cancelled")
    cast.enter("c")
    left = [(e.agent_run_id, e.status) for e in recording.of(AgentFinished)]
    assert left == [("run-b", "cancelled"), ("run-a", "cancelled")]
    assert len(recording.of(AgentStarted)) == 2


def test_a_label_is_in_the_peoples_language_else_english_else_the_role() -> None:
    spec = agent(role="Writer", label={"en": "Author", "zh": "作者"})
    assert [label_of(spec, tag) for tag in ("zh", "en", "fr")] == ["作者", "Author", "Author"]
    assert label_of(agent(role="Writer"), "en") == "Writer"


async def test_the_sink_takes_the_lifecycle_and_leaves_the_rest() -> None:
    cast, recording = cast_of("a")
    sink = LifecycleSink(asyncio.get_running_loop())
    sink.attach(cast)
    sink(None, event("llm_stream_chunk", "a"))
    sink(None, event("agent_execution_started", "a"))
    cast.deliver("a", "out")
    cast.fail("a", "it took too long")
    sink(None, event("agent_execution_error", "a", "KeyError: 'secret'"))
    sink(None, event("task_completed", "a"))
    assert recording.kinds()[1:] == ["AgentStarted", "AgentFinished", "TaskFinished"]
    assert recording.of(AgentFinished)[0].message == "it took too long"
    assert recording.of(TaskFinished)[0].output == "out"
    assert sink.seen == 3


async def test_what_goes_wrong_in_the_sink_stays_there() -> None:
    cast, recording = cast_of("a")
    sink = LifecycleSink(asyncio.get_running_loop())
    sink.attach(cast)
    sink(None, SimpleNamespace(type="agent_execution_started"))
    sink(None, object())
    assert recording.kinds() == ["RunStarted"]


async def test_an_event_of_another_thread_is_handed_to_the_loop() -> None:
    cast, recording = cast_of("a")
    sink = LifecycleSink(asyncio.get_running_loop())
    sink.attach(cast)
    thread = threading.Thread(target=sink, args=(None, event("agent_execution_started", "a")))
    thread.start()
    thread.join()
    assert recording.of(AgentStarted) == []
    await asyncio.sleep(0)
    assert len(recording.of(AgentStarted)) == 1
