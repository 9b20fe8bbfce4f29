"""Model calls that a tool makes, as the journal books them: on the message of the tool's result."""

from __future__ import annotations

import json
from dataclasses import replace

from callsheet.db.transaction import Database
from callsheet.events.run import RunStarted
from callsheet.events.stage import StageStarted
from callsheet.events.tool import ToolCallEnded, ToolCallStarted, ToolResult, ToolStarted
from callsheet.journal.run_log import JournaledRun
from callsheet.journal.writer import JournalWriter
from callsheet.kit.clock import SystemClock
from callsheet.kit.ids import new_id
from callsheet.ledger.price.book import PriceBook
from callsheet.ledger.price.store import load_price_table
from callsheet.turn.meter import CallEnd
from callsheet.turn.recorder import Recorder
from callsheet.turn.run_meter import MeteredCall, RunMeter
from tests.fakes.spool import NoSpool
from tests.journal.intents import intent_for
from tests.journal.measuring import MEASURED
from tests.journal.stage import Admitted, admitted, end_run, recovery_of, take
from tests.journal.test_writer import assert_audited, rows, writing

MESSAGE = str(new_id())
CALL = str(new_id())
ROWS = (
    "SELECT role::text, content, metadata->>'status', input_tokens, latency_ms FROM messages "
    "WHERE role = 'tool'"
)


async def begun(
    writer: JournalWriter, database: Database, run: Admitted
) -> tuple[list[MeteredCall], Recorder, JournaledRun]:
    """A tool at work that has two questions to a model open."""
    prices = PriceBook()
    async with database.read() as tx:
        table = await load_price_table(tx)
    prices.replace(table.prices, table.windows, table.rates)
    log = writer.open(run.keys)
    recorder = Recorder(log)
    recorder.emit(RunStarted(workflow="chat", revision="r", session_id="s", trace_id="t"))
    recorder.emit(StageStarted(stage="execution"))
    recorder.emit(
        ToolCallStarted(
            tool_call_id=CALL, tool="read", message_id="m", agent_run_id="a", visible=True
        )
    )
    recorder.emit(ToolCallEnded(tool_call_id=CALL))
    recorder.emit(ToolStarted(tool_call_id=CALL))
    meter = RunMeter(prices, log, recorder.emit, SystemClock())
    intent = replace(intent_for(MESSAGE), tool="read", purpose="tool")
    calls = [await meter.open(replace(intent, attempt=number)) for number in (1, 2)]
    return calls, recorder, log


def result() -> ToolResult:
    return ToolResult(
        tool_call_id=CALL,
        message_id=MESSAGE,
        tool="read",
        agent_run_id="a",
        stage="execution",
        agent="worker",
        content="Read.",
        status="ok",
        args_digest="0" * 64,
        latency_ms=77,
        visible=True,
        is_booked=True,
    )


async def test_the_message_is_opened_once_and_finished_by_the_result(
    database: Database, database_url: str
) -> None:
    run = await admitted(database)
    async with writing(database_url, []) as writer:
        calls, recorder, log = await begun(writer, database, run)
        assert await rows(database, ROWS) == [("tool", "", "streaming", 0, None)]
        for call in calls:
            call.close(CallEnd(status="settled", metered=MEASURED))
        recorder.emit(result())
        await log.stored()
        assert await rows(database, ROWS) == [("tool", "Read.", "final", 2000, 77)]
    kept = await rows(database, "SELECT metadata->>'tool' FROM messages WHERE role = 'tool'")
    assert json.loads(str(kept[0][0])) == {
        "name": "read", "status": "ok", "args_digest": "0" * 64, "call_id": CALL,
    }  # fmt: skip
    await assert_audited(database)


async def test_what_a_killed_tool_had_asked_is_booked_and_its_message_is_taken_back(
    database: Database, database_url: str
) -> None:
    run = await admitted(database)
    async with writing(database_url, []) as writer:
        await begun(writer, database, run)
    async with writing(database_url, []) as writer:
        await take(database, run)
        recovery = recovery_of(database, writer, "w2", NoSpool())
        assert await recovery.take_over(run.keys.run_id, "w2", 1) is not None
    assert await rows(database, ROWS) == [("tool", "", "discarded", 100, None)]
    await assert_audited(database)


async def test_a_run_that_ends_with_its_process_leaves_no_message_open(
    database: Database, database_url: str
) -> None:
    run = await admitted(database)
    async with writing(database_url, []) as writer:
        calls, _, log = await begun(writer, database, run)
        for call in calls:
            call.close(CallEnd(status="settled", metered=MEASURED))
        await log.stored()
    async with writing(database_url, []) as writer:
        await end_run(recovery_of(database, writer, "w2", NoSpool()), database, run.keys.run_id)
    assert await rows(database, ROWS) == [("tool", "", "partial", 2000, None)]
    await assert_audited(database)


async def test_a_result_that_is_there_is_not_cut_off_by_the_end_of_its_process(
    database: Database, database_url: str
) -> None:
    run = await admitted(database)
    async with writing(database_url, []) as writer:
        calls, recorder, log = await begun(writer, database, run)
        for call in calls:
            call.close(CallEnd(status="settled", metered=MEASURED))
        recorder.emit(result())
        await log.stored()
    async with writing(database_url, []) as writer:
        await end_run(recovery_of(database, writer, "w2", NoSpool()), database, run.keys.run_id)
    assert await rows(database, ROWS) == [("tool", "Read.", "final", 2000, 77)]
    events = await rows(database, "SELECT event->>'kind' FROM run_events")
    assert ("answer_finished",) not in events
    await assert_audited(database)
