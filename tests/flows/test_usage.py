"""What a turn cost is seen over HTTP in every form, and all forms agree."""

from __future__ import annotations

import csv
import io
from decimal import Decimal
from typing import Any

from tests.fakes.agui_client import AgUiClient
from tests.fakes.books import Books
from tests.fakes.deployment import Deployment
from tests.fixtures.app import Serve


async def get(agui: AgUiClient, path: str, **params: str) -> Any:
    answer = await agui.http.get(path, params=params)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_every_form_says_what_the_turns_cost(agui: AgUiClient, books: Books) -> None:
    first = await agui.ask("hello")
    await agui.ask("hello again")
    cost = await books.one("SELECT sum(cost_exact) FROM llm_calls")
    assert cost > 0

    today = await get(agui, "/v1/usage/today")
    assert (today["day"]["calls"], Decimal(today["day"]["cost"])) == (6, cost)
    assert today["month"]["tokens"] == today["day"]["tokens"] > 0

    report = await get(agui, "/v1/usage/report", by="stage,agent,model")
    assert {item["stage"] for item in report["items"]} == {"intent", "execution", "organization"}
    assert sum(Decimal(item["cost"]) for item in report["items"]) == cost
    of_session = await get(
        agui, "/v1/usage/report", by="session", session=first.headers["x-session-id"]
    )
    assert [item["calls"] for item in of_session["items"]] == [3]

    recent = await get(agui, "/v1/usage/recent", limit="4")
    assert [call["workflow"] for call in recent["items"]] == ["chat"] * 4
    assert recent["nextCursor"] is not None

    export = await agui.http.get("/v1/usage/export")
    rows = list(csv.DictReader(io.StringIO(export.text)))
    assert sum(Decimal(row["cost"]) for row in rows) == cost
    assert await books.audit() == {}


async def test_the_local_user_may_ask_for_everybody(agui: AgUiClient) -> None:
    await agui.ask("hello")
    report = await get(agui, "/v1/usage/report", by="user", all="true")
    assert [item["user"] for item in report["items"]] == ["local"]


async def test_a_model_whose_price_nobody_compared_cannot_be_billed(
    deployment: Deployment, serve: Serve
) -> None:
    async with serve(deployment) as (agui, _):
        answer = await agui.http.get("/health/billing")
        assert answer.status_code == 503
        assert [(each["model"], each["verified"]) for each in answer.json()["models"]] == [
            ("deepseek-v3.2", False),
            ("qwen3.5-flash", False),
        ]


async def test_the_rehearsal_is_billed_once_in_the_place_of_all_models(
    deployment: Deployment, serve: Serve
) -> None:
    async with serve(deployment, llm={}) as (agui, _):
        answer = await agui.http.get("/health/billing")
    assert (answer.status_code, answer.json()["status"]) == (200, "complete")
    assert [each["model"] for each in answer.json()["models"]] == ["rehearsal"]


async def test_billing_is_complete_once_every_price_is_verified(
    deployment: Deployment, serve: Serve
) -> None:
    deployment.edit("config/llm_prices.yaml", "verified: false", "verified: true")
    async with serve(deployment) as (agui, _):
        answer = await agui.http.get("/health/billing")
    assert (answer.status_code, answer.json()["status"]) == (200, "complete")
