"""Tools of installed packages, through HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from callsheet.kit.errors import SetupError
from callsheet.wiring.application import Application
from tests.fakes.agui_client import AgUiClient
from tests.fakes.chat_script import chat_script
from tests.fakes.deployment import Deployment
from tests.fakes.plugin import Install, a_tool, packages
from tests.fakes.provider.server import FakeProvider
from tests.fixtures.app import Serve
from tests.fixtures.plugin import RULES, warehouse, warehouse_site

__all__ = ["warehouse", "warehouse_site"]


@pytest.fixture
def install(tmp_path: Path) -> Iterator[Install]:
    with packages(tmp_path) as installer:
        yield installer


def given(deployment: Deployment, rules: str, *names: str) -> None:
    """List the tools and give them to the agent that works."""
    deployment.give_tools("calculator", *names)
    path = deployment.config / "tools.yaml"
    path.write_text(path.read_text("utf-8") + rules, "utf-8")


async def tools_of(agui: AgUiClient, path: str = "/v1/tools") -> dict[str, dict[str, object]]:
    answer = await agui.http.get(path)
    assert answer.status_code == 200, answer.text
    return {tool["name"]: tool for tool in answer.json()["items"]}


async def test_the_worked_example_is_installed_listed_and_used_in_a_turn(
    deployment: Deployment, provider: FakeProvider, serve: Serve, warehouse: Path
) -> None:
    given(deployment, RULES, "stock", "delivery_days")
    provider.scenario = chat_script(
        complexity="simple",
        execution={
            "tools": [
                {"name": "stock", "arguments": '{"article": "A-1042"}'},
                {"name": "stock", "arguments": '{"article": "A-9"}'},
                {"name": "delivery_days", "arguments": '{"country": "cn", "express": true}'},
            ]
        },
    )
    async with serve(deployment) as (agui, books):
        turn = await agui.ask("How many, and when?")
        assert turn.breaches == []
        results = sorted(event["content"] for event in turn.of("TOOL_CALL_RESULT"))
        assert results == [
            "4",
            "Error: There is no article A-9; ask the user for its number.",
            '{"pieces":7}',
        ]
        asked = provider.bodies[1]["tools"]
        assert {tool["function"]["name"] for tool in asked} >= {"stock", "delivery_days"}
        kept = await books.rows("SELECT tool_name FROM messages WHERE role='tool'")
        assert sorted(row["tool_name"] for row in kept) == ["delivery_days", "stock", "stock"]

        every = await tools_of(agui)
        assert {"calculator", "send_mail", "stock", "delivery_days"} <= every.keys()
        stock = every["stock"]
        assert (stock["origin"], stock["owner"], stock["policy"]) == (
            "plugin",
            "warehouse-tools",
            "allow",
        )
        assert (stock["label"], stock["group"], stock["available"]) == ("Stock", "warehouse", True)
        assert every["delivery_days"]["summary"] == "Say how many days a delivery takes."
        assert every["send_mail"]["policy"] == "ask"

        session = turn.headers["x-session-id"]
        own = await tools_of(agui, f"/v1/sessions/{session}/tools")
        assert own.keys() == {"calculator", "stock", "delivery_days"}
        answer = await agui.http.get(f"/v1/sessions/{session}/tools?workflow=none")
        assert (answer.status_code, answer.json()["code"]) == (404, "unknown_workflow")
        assert (await agui.http.get("/v1/sessions/other/tools")).status_code == 404


async def test_one_that_is_broken_takes_neither_the_start_nor_the_others_away(
    deployment: Deployment, provider: FakeProvider, serve: Serve, install: Install
) -> None:
    """Though the YAML names its tool: it is not offered, and a call of it is told so."""
    install("acme-tools", "raise RuntimeError('no licence')\n", green="Green")
    install("zeta-tools", a_tool("red") + a_tool("calculator"), red="Red", sums="Calculator")
    given(deployment, "\nred: {}\n\ngreen: {policy: ask}\n", "red", "green")
    calls = [{"name": name, "arguments": "{}"} for name in ("red", "green")]
    calls.append({"name": "calculator", "arguments": '{"expression": "1+1"}'})
    provider.scenario = chat_script(complexity="simple", execution={"tools": calls})
    async with serve(deployment) as (agui, _):
        turn = await agui.ask("colours")
        assert turn.breaches == []
        results = [event["content"] for event in turn.of("TOOL_CALL_RESULT")]
        assert {"red", "2"} < set(results)
        assert any(result.startswith("Error: There is no tool") for result in results)
        offered = {tool["function"]["name"] for tool in provider.bodies[1]["tools"]}
        assert "red" in offered
        assert "green" not in offered
        every = await tools_of(agui)
        assert "green" not in every
        assert every["calculator"]["owner"] == "callsheet"


def test_fail_fast_refuses_the_start_and_names_both(
    deployment: Deployment, install: Install
) -> None:
    install("acme-tools", "raise RuntimeError('no licence')\n", green="Green")
    install("zeta-tools", a_tool("calculator"), sums="Calculator")
    address = "postgresql://nobody@127.0.0.1:1/none"
    settings = deployment.settings(address, tools={"fail_fast": True})
    with pytest.raises(SetupError) as refused:
        Application(settings)
    assert "The plugin acme-tools (green = acme_tools:Green) cannot be loaded" in str(refused.value)
    assert "'calculator' is brought by both callsheet and zeta-tools" in str(refused.value)
