"""A run whose process is gone goes on in its own journal: what was open is closed first."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from callsheet.db.transaction import Database
from callsheet.events.call import AnswerFinished, LlmCallFinished
from callsheet.events.entry import Entry
from callsheet.events.order import OrderChecker
from callsheet.events.run import RunFailed, RunFinished, RunStarted, RunTakenOver
from callsheet.events.stage import StageFinished, StageStarted
from callsheet.events.text import TextDelta, TextStarted
from callsheet.events.tool import (
    ToolCallArgs,
    ToolCallEnded,
    ToolCallStarted,
    ToolResult,
    ToolStarted,
)
from callsheet.events.union import AnyRunEvent
from callsheet.journal.ending import closing, ending, left_open
from callsheet.journal.orphan import orphaned
from callsheet.kit.clock import SystemClock
from callsheet.kit.ids import new_id
from callsheet.runs.chain_store import chain_events
from callsheet.runs.event_store import read_events
from callsheet.runs.store import run_by_id
from callsheet.turn.outcome import Answered
from callsheet.turn.record import Past, fold
from callsheet.turn.recorder import Recorder
from callsheet.turn.run_meter import RunMeter
from tests.fakes.spool import NoSpool
from tests.journal.measuring import finished, open_call
from tests.journal.stage import Admitted, admitted, end_run, recovery_of, take
from tests.journal.test_writer import Shown, assert_audited, rows, writing


@dataclass
class Left:
    """What a process left behind that was killed while its model was answering."""

    run: Admitted
    message_id: str


async def left_behind(database: Database, database_url: str) -> Left:
    run = await admitted(database)
    shown: Shown = []
    async with writing(database_url, shown) as writer:
        _, recorder, log = await open_call(writer, database, run)
        [started] = [e.event for e in await stored(database, run) if e.seq == 3]
        message_id = getattr(started, "message_id")  # noqa: B009 - of a union
        recorder.emit(TextStarted(message_id=message_id, agent_run_id="a", visible=True))
        recorder.emit(TextDelta(message_id=message_id, text="Half an answer"))
        await log.stored()
    return Left(run, message_id)


async def stored(database: Database, run: Admitted) -> tuple[Entry, ...]:
    async with database.read() as tx:
        return await read_events(tx, run.keys.run_id, 0, 100)


async def test_what_was_open_is_closed_and_the_run_goes_on_to_one_end(
    database: Database, database_url: str
) -> None:
    left = await left_behind(database, database_url)
    run_id = left.run.keys.run_id
    shown: Shown = []
    async with writing(database_url, shown) as writer:
        await take(database, left.run)
        log = await recovery_of(database, writer, "w2", NoSpool()).take_over(run_id, "w2", 1)
        assert log is not None
        async with database.read() as tx:
            chained = await chain_events(tx, run_id)
        past = Past(fold(c.event for c in chained), tuple(c.event for c in chained))
        recorder = Recorder(log, past)
        meter = RunMeter({}, log, recorder.emit, SystemClock())  # type: ignore[arg-type]
        meter.count(past.own)
        recorder.emit(StageStarted(stage="execution"))
        recorder.emit(StageFinished(stage="execution", status="done", output="x"))
        await recorder.finish(Answered("x", None), meter.usage())

    entries = await stored(database, left.run)
    assert [entry.seq for entry in entries] == list(range(1, len(entries) + 1))
    order = OrderChecker()
    for entry in entries:
        order.check(entry.event)
    assert order.ended
    [cut] = [e.event for e in entries if isinstance(e.event, AnswerFinished)]
    assert (cut.message_id, cut.status) == (left.message_id, "discarded")
    assert cut.text == "Half an answer"
    [taken] = [e.event for e in entries if isinstance(e.event, RunTakenOver)]
    assert (taken.worker_id, taken.epoch) == ("w2", 1)
    [settled] = [e.event for e in entries if isinstance(e.event, LlmCallFinished)]
    last = entries[-1].event
    assert isinstance(last, RunFinished)
    assert [each.usage for each in last.usage] == [settled.metered.usage]
    assert await rows(database, "SELECT status FROM runs") == [("succeeded",)]
    assert await rows(
        database, "SELECT content, metadata->>'status' FROM messages WHERE role = 'assistant'"
    ) == [("Half an answer", "discarded")]
    await assert_audited(database)


async def test_a_run_that_has_ended_is_not_taken_over(
    database: Database, database_url: str
) -> None:
    left = await left_behind(database, database_url)
    shown: Shown = []
    async with writing(database_url, shown) as writer:
        recovery = recovery_of(database, writer, "w2", NoSpool())
        await end_run(recovery, database, left.run.keys.run_id)
        before = await stored(database, left.run)
        assert await recovery.take_over(left.run.keys.run_id, "w2", 1) is None
    assert await stored(database, left.run) == before


async def test_a_run_that_had_not_begun_begins(database: Database, database_url: str) -> None:
    run = await admitted(database)
    shown: Shown = []
    async with writing(database_url, shown) as writer:
        recovery = recovery_of(database, writer, "w2", NoSpool())
        await take(database, run)
        assert await recovery.take_over(run.keys.run_id, "w2", 1) is not None
    assert await stored(database, run) == ()


async def test_what_was_measured_before_the_process_died_is_booked(
    database: Database, database_url: str
) -> None:
    left = await left_behind(database, database_url)
    [started] = left_open([e.event for e in await stored(database, left.run)])
    measured = finished(started.call_id)

    class Kept(NoSpool):
        async def of(self, run_id: object) -> dict[str, LlmCallFinished]:
            return {started.call_id: measured}

    shown: Shown = []
    async with writing(database_url, shown) as writer:
        await take(database, left.run)
        await recovery_of(database, writer, "w2", Kept()).take_over(left.run.keys.run_id, "w2", 1)
    assert await rows(database, "SELECT usage_source, input_tokens FROM llm_calls") == [
        ("provider", 1000)
    ]


async def test_a_call_that_was_half_asked_for_is_answered(
    database: Database, database_url: str
) -> None:
    left = await left_behind(database, database_url)
    entries = list(await stored(database, left.run))
    call = str(new_id())
    more: list[AnyRunEvent] = [
        ToolCallStarted(
            tool_call_id=call, tool="mail", message_id=left.message_id, agent_run_id="a",
            visible=True,
        ),
        ToolCallArgs(tool_call_id=call, text='{"to'),
    ]  # fmt: skip
    # A text must be over before a tool is asked for.
    entries = [e for e in entries if not isinstance(e.event, (TextStarted, TextDelta))]
    entries += [Entry(len(entries) + n, entries[0].at, event) for n, event in enumerate(more, 1)]
    ends = {c.call_id: orphaned(c, "", None) for c in left_open([e.event for e in entries])}
    closed = closing(entries, ends)
    assert [type(event) for event in closed] == [
        LlmCallFinished, ToolCallEnded, StageFinished, AnswerFinished, ToolResult,
    ]  # fmt: skip
    result = closed[-1]
    assert isinstance(result, ToolResult)
    assert (result.tool_call_id, result.status, result.agent) == (call, "cancelled", "worker")
    order = OrderChecker()
    for event in [*(e.event for e in entries), *closed]:
        order.check(event)
    last = RunFailed(code="worker_died", message="")
    async with database.read() as tx:
        run = await run_by_id(tx, left.run.keys.run_id)
    assert run is not None
    assert not any(isinstance(e, ToolResult) for e in ending(run, entries, last, ends))


async def test_a_run_that_goes_on_from_another_is_closed_and_ended_too(
    database: Database, database_url: str
) -> None:
    run = await admitted(database)
    async with database.read() as tx:
        record = await run_by_id(tx, run.keys.run_id)
    assert record is not None
    began = RunStarted(workflow="chat", revision="r", session_id="s", trace_id="t")
    carried = ToolStarted(tool_call_id="asked before")
    events: list[AnyRunEvent] = [began, StageStarted(stage="execution"), carried]
    at = datetime.now(UTC)
    entries = [Entry(n, at, event) for n, event in enumerate(events, 1)]
    assert [type(event) for event in closing(entries, {})] == [StageFinished]
    last = RunFailed(code="worker_died", message="")
    assert [type(e) for e in ending(record, entries, last, {})] == [StageFinished, RunFailed]
