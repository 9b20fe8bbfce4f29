"""The YAML while the server runs, and models that must not be called."""

from __future__ import annotations

from tests.fakes.deployment import Deployment
from tests.fakes.provider.server import FakeProvider
from tests.fixtures.app import Serve

AGENTS = "crews/chat/agents.yaml"


async def test_a_good_edit_changes_the_next_turn(
    serve: Serve, deployment: Deployment, provider: FakeProvider
) -> None:
    async with serve(deployment) as (agui, _):
        before = await agui.ask("hello")
        deployment.edit(AGENTS, "You write for the person who asked.", "You write for sailors.")
        after = await agui.ask("hello")

    assert "You write for sailors." not in str(provider.bodies[2])
    assert "You write for sailors." in str(provider.bodies[5])
    revisions = [turn.events[0]["metadata"]["callsheet"]["revision"] for turn in (before, after)]
    assert revisions[0] != revisions[1]


async def test_a_broken_edit_leaves_the_old_revision_at_work_and_is_reported(
    serve: Serve, deployment: Deployment
) -> None:
    async with serve(deployment) as (agui, _):
        before = await agui.ask("hello")
        deployment.edit(AGENTS, "temperature: 0\n", "temprature: 0\n")
        after = await agui.ask("hello")
        told = (await agui.http.get("/v1/workflows")).json()["problems"]

    assert after.breaches == []
    assert after.text == "Here is your answer."
    revisions = [turn.events[0]["metadata"]["callsheet"]["revision"] for turn in (before, after)]
    assert revisions[0] == revisions[1]
    assert len(told) == 1
    line = 1 + (deployment.folder / AGENTS).read_text("utf-8").split("temprature")[0].count("\n")
    assert told[0]["file"].endswith("agents.yaml")
    assert (told[0]["line"], told[0]["column"]) == (line, 3)
    assert "temprature" in told[0]["message"]
    assert told[0]["suggestion"] == "temperature"


async def test_a_model_without_a_price_is_never_called(
    serve: Serve, deployment: Deployment, provider: FakeProvider
) -> None:
    row = "model_code: deepseek-v3.2\n    currency: USD\n    valid_from: "
    deployment.edit("config/llm_prices.yaml", f"{row}2026", f"{row}2099")
    async with serve(deployment) as (agui, books):
        turn = await agui.ask("hello")
        calls = await books.calls()
        messages = await books.messages(turn.headers["x-session-id"])
        assert await books.audit() == {}

    assert turn.breaches == []
    assert turn.last["type"] == "RUN_ERROR"
    assert turn.last["code"] == "unpriced"
    assert "deepseek-v3.2" in turn.last["message"]
    assert provider.stats.requests == 1
    assert [call["model_code"] for call in calls] == ["qwen3.5-flash"]
    assert messages[0]["content"] == "hello"
