"""The ways in which others' cost goes wrong while calls are made, each with the rule it needs.

The numbers are those of the list of 25 failures that the ledger is built against.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from callsheet.db.transaction import Database
from callsheet.ledger.reconcile.statement import adjustments_of, hold_against, is_over
from callsheet.llm.chat import TextPart, UsagePart
from callsheet.llm.errors import ProviderError
from tests.crew.asking import Desk, fault
from tests.fakes.agui_client import AgUiClient
from tests.fakes.books import Books
from tests.fakes.chat import text
from tests.fakes.chat_script import chat_script
from tests.fakes.provider.server import FakeProvider
from tests.ledger.bookings import assert_sound
from tests.ledger.budget.spending import quotas_of, spender, spot
from tests.ledger.reconcile.bills import bill, layout
from tests.ledger.report.calls import add_call
from tests.sessions.rows import rows


async def test_rule_09_a_stream_that_broke_off_is_billed_for_what_had_come() -> None:
    began = {"prompt_tokens": 900, "completion_tokens": 1}
    words = "Half of a sentence that goes on for a while before it breaks off"
    desk = Desk.of([(UsagePart(began), TextPart(words)), fault("provider_cut", answered=True)])
    with pytest.raises(ProviderError):
        await desk.ask()

    (call,) = desk.calls
    assert (call.status, call.metered.source) == ("failed", "estimated")
    assert call.metered.usage.input_tokens == 900
    assert call.metered.usage.output_tokens > 10


async def test_rule_09_a_stream_that_was_stopped_is_billed_for_what_had_come(
    agui: AgUiClient, provider: FakeProvider, books: Books
) -> None:
    half = {"text": None, "chunks": 40, "fault": "stall", "fault_at": 20}
    provider.scenario = chat_script(execution=half)
    async with agui.open("hello") as (turn, events):
        async for event in events:
            if "w00019" in str(event.get("delta")):
                await agui.http.post(f"/v1/runs/{turn.headers['x-run-id']}/cancel")
    turn.finish()

    (_, stopped) = await books.calls()
    assert (stopped["status"], stopped["usage_source"]) == ("aborted", "estimated")
    assert stopped["input_tokens"] > 0
    assert stopped["output_tokens"] >= 20
    assert stopped["cost_exact"] > 0
    assert await books.audit() == {}


async def test_rule_10_each_attempt_is_a_row_and_one_that_was_counted_is_billed(
    agui: AgUiClient, provider: FakeProvider, books: Books
) -> None:
    """The provider counts an answer without a word, then answers."""
    provider.scenario = chat_script(execution={"fault": "empty", "fault_times": 1})
    turn = await agui.ask("hello")

    assert turn.text == "Here is your answer."
    calls = await books.calls()
    assert len(calls) == provider.stats.requests == 4
    first, second = [call for call in calls if call["stage"] == "execution"]
    assert [(c["attempt"], c["status"]) for c in (first, second)] == [(1, "failed"), (2, "settled")]
    assert first["message_id"] == second["message_id"]
    assert first["cost_exact"] > 0
    assert await books.booked() == provider.stats.reported
    assert await books.audit() == {}


async def test_rule_10_an_attempt_that_the_provider_refused_costs_nothing(
    agui: AgUiClient, provider: FakeProvider, books: Books
) -> None:
    busy = {"fault": "status", "status": 429, "retry_after": "0", "fault_times": 1}
    provider.scenario = chat_script(execution=busy)
    await agui.ask("hello")

    refused = next(call for call in await books.calls() if call["status"] == "failed")
    assert (refused["usage_source"], refused["cost_exact"]) == ("none", 0)
    assert await books.booked() == provider.stats.billed


async def test_rule_11_a_call_is_opened_and_settled_once_however_often_it_is_told(
    database: Database, database_url: str
) -> None:
    here = await spot(database)
    async with spender(database, database_url, quotas_of({})) as one:
        call = one.call(here, 90)
        for _ in range(2):
            await one.open(call)
        for tokens in (40, 40, 70):
            await one.settle((call, tokens), (call, tokens))
        await one.open(call)

    assert await rows(database, "SELECT status, input_tokens, cost_exact FROM llm_calls") == [
        ("settled", 40, Decimal("0.00004"))
    ]
    assert await rows(database, "SELECT total_tokens, total_cost FROM sessions") == [
        (40, Decimal("0.00004"))
    ]
    assert await rows(
        database, "SELECT DISTINCT calls, tokens, cost, reserved_tokens FROM budget_counters"
    ) == [(1, 40, Decimal("0.00004"), 0)]
    await assert_sound(database)


HIDDEN: dict[str, dict[str, Any]] = {
    "rounds with tools": {
        "execution": {"tools": [{"name": "calculator", "arguments": '{"expression": "1+1"}'}]}
    },
    "answers that are asked for again": {"intent": {"text": "I would rather not."}},
}


@pytest.mark.parametrize("script", HIDDEN.values(), ids=list(HIDDEN))
async def test_rule_17_there_is_no_request_without_a_row_that_says_what_it_was_for(
    agui: AgUiClient, provider: FakeProvider, books: Books, script: dict[str, Any]
) -> None:
    provider.scenario = chat_script(vary=True, **script)
    turn = await agui.ask("hello, and give this a title")

    calls = await books.calls()
    assert len(calls) == provider.stats.requests >= 2
    assert await books.booked() == provider.stats.billed
    assert all(call["purpose"] and call["stage"] and call["agent"] for call in calls)
    (session,) = await books.rows("SELECT title, total_tokens, total_cost FROM sessions")
    assert session["title"] == "hello, and give this a t"
    billed = provider.stats.billed
    assert session["total_tokens"] == billed.prompt + billed.completion
    shown = [Decimal(used["cost"]) for used in turn.last["metadata"]["callsheet"].get("usage", [])]
    assert sum(shown) in (0, session["total_cost"])
    assert await books.audit() == {}


async def test_rule_20_the_same_question_again_is_a_request_again_and_not_a_cached_cost() -> None:
    desk = Desk.of(text("one"), text("one"))
    await desk.ask()
    await desk.ask()

    assert len(desk.chat.requests) == len(desk.calls) == 2


async def test_rule_24_a_bill_is_held_against_whole_days_and_not_against_calls(
    database: Database, tmp_path: Path
) -> None:
    """The provider counts some minutes later, and one sum for both calls."""
    noon = datetime(2026, 11, 2, 12, tzinfo=UTC)
    for started_at in (noon, noon + timedelta(minutes=4)):
        await add_call(database, started_at=started_at)
    before = await rows(database, "SELECT * FROM llm_calls ORDER BY id")
    told = bill(tmp_path, "day,model,amount,currency\n2026-11-02,m,0.005,USD\n")
    async with database.read() as tx:
        statement = await hold_against(tx, told, layout(), "f", "USD")

    (day,) = statement.days
    assert (day.booked.calls, day.booked.cost) == (2, Decimal("0.004"))
    (correction,) = adjustments_of(statement, told, statement.over(Decimal(0)), by="t")
    assert (correction.call_id, correction.amount) == (None, Decimal("0.001"))
    assert await rows(database, "SELECT * FROM llm_calls ORDER BY id") == before
    assert not is_over(date(2026, 11, 2), ZoneInfo("UTC"), noon + timedelta(hours=11))
    assert is_over(date(2026, 11, 2), ZoneInfo("UTC"), noon + timedelta(hours=12))
