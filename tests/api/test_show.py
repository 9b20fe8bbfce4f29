"""Where a deployment hides models or money, no door tells of them."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from dataclasses import replace
from uuid import UUID, uuid4

import httpx
import pytest

from callsheet.agui.show import ShowOptions
from callsheet.auth.principal import principal_named
from callsheet.kit.errors import Problem, QuotaSpent, RateLimited, Unpriced
from callsheet.main import create_app
from callsheet.runs.run import RunRecord
from tests.agui.journal import USED
from tests.api.fake import ALICE, OPTIONS, World
from tests.api.fake_records import a_message, a_run
from tests.api.test_agent_chat import asking

ALICE_USER = principal_named("alice")
NAMES = re.compile(r"deepseek|qwen|modelCode|\"model\"", re.IGNORECASE)
MONEY = re.compile(r"USD|currency|\"(cost|totalCost)\"|\"0\.\d")
HIDDEN = [(ShowOptions(models=False), NAMES), (ShowOptions(costs=False), MONEY)]
SHOWN = [(ShowOptions(), NAMES), (ShowOptions(), MONEY)]
SESSION = UUID("01900000-0000-7000-8000-0000000000aa")


def failed_run() -> RunRecord:
    return replace(
        a_run(ALICE_USER, SESSION),
        status="failed",
        usage=USED,
        error_code="provider_error",
        error_message="qwen (qwen3.5-flash) answered 503.",
    )


@pytest.fixture
async def asked(
    world: World, show: ShowOptions, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[httpx.AsyncClient]:
    """A client of a server that shows so much, where Alice has a session with a run in it."""
    await world.sessions.create(ALICE_USER, SESSION, None)
    world.sessions.messages_of[SESSION] = [a_message(SESSION, 1)]
    run = failed_run()
    world.runs.runs[run.id] = run
    services = world.services()
    spoilt = Problem("agents.yaml", 3, 1, "unknown model 'qwen3.5-flush'", "qwen3.5-flash")
    monkeypatch.setattr(services.workflows, "problems", lambda: [spoilt])
    transport = httpx.ASGITransport(create_app(services, replace(OPTIONS, show=show)))
    async with httpx.AsyncClient(
        transport=transport, base_url="http://callsheet.example", headers=ALICE
    ) as made:
        yield made


async def doors(client: httpx.AsyncClient, world: World) -> dict[str, str]:
    """What each door that could tell of models or money says."""
    [run] = world.runs.runs
    said = {
        path: (await client.get(path)).text
        for path in (
            "/v1/models",
            "/v1/workflows",
            "/v1/agent-chat/chat/capabilities",
            f"/v1/runs/{run}",
            "/v1/sessions",
            "/v1/sessions/recent",
            f"/v1/sessions/{SESSION}",
            f"/v1/sessions/{SESSION}/messages",
            f"/v1/sessions/{SESSION}/runs",
        )
    }
    for name, headers in (("stream", {}), ("document", {"Accept": "application/json"})):
        answer = await client.post("/v1/agent-chat", json=asking("hi"), headers=headers)
        assert answer.status_code == 200
        said[name] = answer.text
    said["new session"] = (await client.post("/v1/sessions", json={})).text
    said["rename"] = (await client.patch(f"/v1/sessions/{SESSION}", json={"title": "New"})).text
    said["cancel"] = (await client.post(f"/v1/runs/{run}/cancel")).text
    return said


@pytest.mark.parametrize(("show", "secret"), HIDDEN, ids=["models", "costs"])
async def test_what_is_hidden_is_behind_no_door(
    asked: httpx.AsyncClient, world: World, secret: re.Pattern[str]
) -> None:
    said = await doors(asked, world)
    assert [door for door, text in said.items() if secret.search(text)] == []


@pytest.mark.parametrize(("show", "secret"), SHOWN, ids=["models", "costs"])
async def test_what_is_not_hidden_is_told(
    asked: httpx.AsyncClient, world: World, secret: re.Pattern[str]
) -> None:
    said = await doors(asked, world)
    untold = {door for door, text in said.items() if not secret.search(text)}
    sessions = {"/v1/sessions", "/v1/sessions/recent", f"/v1/sessions/{SESSION}"}
    if secret is NAMES:
        assert untold == {
            "/v1/agent-chat/chat/capabilities", "new session", "rename", *sessions
        }  # fmt: skip
    else:
        assert untold == {"/v1/models", "/v1/workflows", "/v1/agent-chat/chat/capabilities"}


@pytest.mark.parametrize("show", [ShowOptions(costs=False, models=False)])
async def test_documents_are_whole_without_what_is_hidden(
    asked: httpx.AsyncClient, world: World
) -> None:
    [run] = world.runs.runs
    shown = (await asked.get(f"/v1/runs/{run}")).json()
    assert shown["usage"] == [
        {
            "inputTokens": 160,
            "outputTokens": 40,
            "totalTokens": 200,
            "reasoningTokens": 4,
            "cachedInputTokens": 20,
        }
    ]
    assert shown["error"] == {"code": "provider_error", "message": "The model gave no answer."}
    [message] = (await asked.get(f"/v1/sessions/{SESSION}/messages")).json()["items"]
    assert (message["content"], message["inputTokens"]) == ("Answer 1", 60)
    assert (await asked.get("/v1/models")).json() == {"items": []}
    [problem] = (await asked.get("/v1/workflows")).json()["problems"]
    assert (problem["file"], problem["line"]) == ("agents.yaml", 3)


REFUSALS = [
    QuotaSpent(
        "The budget of your day is spent (5 USD).", code="budget_spent", limit="5", spent="4"
    ),
    RateLimited("qwen takes 60 requests a minute.", retry_after_s=7, factory="qwen"),
    Unpriced("Model 'qwen3.5-flash' has no price.", model="qwen3.5-flash"),
]


@pytest.mark.parametrize("show", [ShowOptions(costs=False, models=False)])
@pytest.mark.parametrize("refusal", REFUSALS, ids=lambda refusal: refusal.error_code)
async def test_a_refusal_keeps_its_code_and_not_its_names_and_amounts(
    asked: httpx.AsyncClient,
    world: World,
    refusal: QuotaSpent | RateLimited | Unpriced,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def refuse(*_: object) -> None:
        raise refusal

    monkeypatch.setattr(world.chat, "start", refuse)
    answer = await asked.post("/v1/agent-chat", json=asking("hi", runId=str(uuid4())))
    assert (answer.status_code, answer.json()["code"]) == (refusal.status, refusal.error_code)
    assert not NAMES.search(answer.text)
    assert answer.json().keys() & {"limit", "spent", "factory", "model"} == set()
    assert "USD" not in answer.text
    assert answer.headers.get("Retry-After") == ("7" if isinstance(refusal, RateLimited) else None)
