"""The YAML while the server runs, and models that must not be called."""

from __future__ import annotations

from tests.fakes.agui_client import AgUiClient
from tests.fakes.books import Books
from tests.fakes.chat_script import chat_script
from tests.fakes.deployment import Deployment
from tests.fakes.provider.server import FakeProvider

AGENTS = "crews/chat/agents.yaml"


async def test_a_good_edit_changes_the_next_turn(
    agui: AgUiClient, deployment: Deployment, provider: FakeProvider
) -> None:
    before = await agui.ask("hello")
    deployment.edit(AGENTS, "You write for the person who asked.", "You write for sailors.")
    after = await agui.ask("hello")

    assert "You write for sailors." not in str(provider.bodies[2])
    assert "You write for sailors." in str(provider.bodies[5])
    revisions = [turn.events[0]["metadata"]["callsheet"]["revision"] for turn in (before, after)]
    assert revisions[0] != revisions[1]


async def test_a_broken_edit_leaves_the_old_revision_at_work_and_is_reported(
    agui: AgUiClient, deployment: Deployment
) -> None:
    before = await agui.ask("hello")
    deployment.edit(AGENTS, "temperature: 0\n", "temprature: 0\n")
    after = await agui.ask("hello")

    assert after.breaches == []
    assert after.text == "Here is your answer."
    revisions = [turn.events[0]["metadata"]["callsheet"]["revision"] for turn in (before, after)]
    assert revisions[0] == revisions[1]
    ready = (await agui.http.get("/health/ready")).text
    assert "agents.yaml" in ready
    assert "temprature" in ready


async def test_a_model_without_a_price_is_never_called(
    agui: AgUiClient, provider: FakeProvider, books: Books
) -> None:
    await books.rows("UPDATE llm_prices SET effective = tstzrange(lower(effective), now()) "
                     "WHERE model_code = 'deepseek-v3.2'")  # fmt: skip
    provider.scenario = chat_script()
    turn = await agui.ask("hello")
    assert turn.breaches == []
    assert turn.last["type"] in {"RUN_ERROR", "RUN_FINISHED"}
