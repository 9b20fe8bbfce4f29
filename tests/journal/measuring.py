"""A call that is open, and its end as it was measured."""

from __future__ import annotations

from decimal import Decimal

from callsheet.db.transaction import Database
from callsheet.events.call import LlmCallFinished
from callsheet.events.run import RunStarted
from callsheet.events.stage import StageStarted
from callsheet.events.usage import MeteredUsage, Usage
from callsheet.journal.run_log import JournaledRun
from callsheet.journal.writer import JournalWriter
from callsheet.kit.clock import SystemClock
from callsheet.kit.ids import new_id
from callsheet.ledger.price.book import PriceBook
from callsheet.ledger.price.store import load_price_table
from callsheet.turn.recorder import Recorder
from callsheet.turn.run_meter import MeteredCall, RunMeter
from tests.journal.intents import intent_for
from tests.journal.stage import Admitted

MEASURED = MeteredUsage(
    usage=Usage(input_tokens=1000, output_tokens=70), source="provider", raw={"prompt_tokens": 1000}
)
COST = Decimal("0.001210000000")  # 1000 x 1 + 70 x 3 millionths


def finished(call_id: str, cost: Decimal = COST) -> LlmCallFinished:
    return LlmCallFinished(
        call_id=call_id,
        message_id=str(new_id()),
        status="settled",
        metered=MEASURED,
        cost_native=cost,
        cost_exact=cost,
        latency_ms=3,
    )


async def open_call(
    writer: JournalWriter, database: Database, run: Admitted, *, allow_unpriced: bool = False
) -> tuple[MeteredCall, Recorder, JournaledRun]:
    prices = PriceBook(allow_unpriced=allow_unpriced)
    async with database.read() as tx:
        table = await load_price_table(tx)
    prices.replace(table.prices, table.windows, table.rates)
    log = writer.open(run.keys)
    recorder = Recorder(log)
    recorder.emit(RunStarted(workflow="chat", revision="r", session_id="s", trace_id="t"))
    recorder.emit(StageStarted(stage="execution"))
    intent = intent_for(str(new_id()))
    call = await RunMeter(prices, log, recorder.emit, SystemClock()).open(intent)
    return call, recorder, log
