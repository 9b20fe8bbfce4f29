"""A title that a model writes on request: a call of its own, on no message."""

from __future__ import annotations

from typing import Any

import pytest

from callsheet.kit.errors import SetupError
from callsheet.wiring.title_model import make_titles
from tests.fakes.agui_client import AgUiClient
from tests.fakes.books import Books
from tests.fakes.chat_script import chat_script
from tests.fakes.deployment import Deployment
from tests.fakes.provider.scenario import Rule, Scenario
from tests.fakes.provider.server import FakeProvider
from tests.fixtures.app import Serve
from tests.wiring.stage import application

ASKED = "Give the conversation in <conversation> a title"


def script(**title: Any) -> Scenario:
    answer = {"text": '"Ferries to Oslo."', "chunks": 2, **title}
    base = chat_script()
    return Scenario(rules=(Rule(match=ASKED, set=answer), *base.rules))


async def test_a_title_is_written_from_what_was_said_and_paid_for(
    agui: AgUiClient, provider: FakeProvider, books: Books
) -> None:
    provider.scenario = script()
    turn = await agui.ask("When does the ferry leave?", thread_id="t")
    before = (await agui.http.get("/v1/sessions/t")).json()
    written = await agui.http.post("/v1/sessions/t/title")
    assert written.status_code == 200
    after = written.json()
    assert (before["title"], after["title"]) == ("When does the ferry leav", "Ferries to Oslo")
    for same in ("messageCount", "totalTokens", "totalCost", "status"):
        assert after[same] == before[same]
    told = str(provider.bodies[-1]["messages"])
    assert "user: When does the ferry leave?" in told
    assert "assistant: Here is your answer." in told
    [call] = [call for call in await books.calls() if call["purpose"] == "title"]
    assert (call["status"], call["message_id"], call["run_id"]) == ("settled", None, None)
    assert (call["stage"], call["agent"], call["usage_source"]) == ("title", "title", "provider")
    assert str(call["session_id"]) == turn.headers["x-session-id"]
    assert call["cost_exact"] > 0
    booked, billed = await books.booked(), provider.stats.billed
    assert (booked.prompt, booked.completion) == (billed.prompt, billed.completion)
    day = "SELECT cost FROM budget_counters WHERE scope = 'user' AND period = 'day'"
    assert await books.one(day) == sum(c["cost_exact"] for c in await books.calls())
    assert await books.audit() == {}


@pytest.mark.parametrize(
    ("title", "status", "code"),
    [
        ({"text": " ... "}, 500, "invalid_output"),
        ({"fault": "status", "status": 400}, 503, "provider_refused"),
        ({"fault": "filter", "fault_at": 1}, 503, "content_filter"),
    ],
)
async def test_a_title_that_is_not_written_changes_nothing_and_is_booked(
    agui: AgUiClient,
    provider: FakeProvider,
    books: Books,
    title: dict[str, Any],
    status: int,
    code: str,
) -> None:
    provider.scenario = script(**title)
    await agui.ask("Hello", thread_id="t")
    answer = await agui.http.post("/v1/sessions/t/title")
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert (await agui.http.get("/v1/sessions/t")).json()["title"] == "Hello"
    [call] = [call for call in await books.calls() if call["purpose"] == "title"]
    assert call["status"] in ("settled", "failed")
    assert await books.audit() == {}


async def test_there_is_no_title_of_nothing(agui: AgUiClient, provider: FakeProvider) -> None:
    await agui.http.post("/v1/sessions", json={"id": "t"})
    answer = await agui.http.post("/v1/sessions/t/title")
    assert (answer.status_code, answer.json()["code"]) == (409, "nothing_said")
    assert (await agui.http.post("/v1/sessions/other/title")).status_code == 404
    assert provider.stats.requests == 0


async def test_without_money_no_title_is_asked_for(
    agui: AgUiClient, provider: FakeProvider, books: Books
) -> None:
    provider.scenario = script()
    await agui.ask("Hello", thread_id="t")
    await agui.http.patch("/v1/sessions/t", json={"budget": "0.000001"})
    asked = provider.stats.requests
    answer = await agui.http.post("/v1/sessions/t/title")
    assert (answer.status_code, answer.json()["code"]) == (402, "budget_spent")
    assert provider.stats.requests == asked
    assert await books.one("SELECT count(*) FROM usage_refusals") == 1
    assert await books.audit() == {}


async def test_the_model_that_the_settings_name_writes_it(
    deployment: Deployment, serve: Serve, provider: FakeProvider
) -> None:
    provider.scenario = script()
    async with serve(deployment, title_model="deepseek-v3.2") as (agui, books):
        await agui.ask("Hello", thread_id="t")
        await agui.http.post("/v1/sessions/t/title")
        assert [c["model_code"] for c in await books.calls()][-1] == "deepseek-v3.2"


async def test_a_title_model_that_is_not_there_is_told_at_the_start(
    deployment: Deployment, database_url: str
) -> None:
    settings = deployment.settings(database_url, title_model="nobody")
    with pytest.raises(SetupError, match="CALLSHEET_TITLE_MODEL"):
        make_titles(application(settings))
