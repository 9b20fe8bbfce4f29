"""A program that a model wrote, through HTTP: its output as it comes, its file, its report."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from tests.fakes.agui_client import AgUiClient, Turn
from tests.fakes.chat_script import chat_script
from tests.fakes.deployment import NO_ENGINE, Deployment
from tests.fakes.provider.server import FakeProvider
from tests.fixtures.app import Serve

CODE = """
import sys
print("first", flush=True)
print("problem", file=sys.stderr, flush=True)
open("out.csv", "w").write("a,b\\n1,2\\n")
print("last")
"""


ENGINE: dict[str, Any] = {}
"""That of this machine."""


def writes(code: str) -> Any:
    calls = [{"name": "python_executor", "arguments": json.dumps({"code": code})}]
    return chat_script(complexity="simple", execution={"tools": calls})


def coding(deployment: Deployment) -> Deployment:
    """The deployment without containers that wait."""
    path = deployment.config / "sandbox.yaml"
    path.write_text("pool: {size: 0}\n", "utf-8")
    return deployment


async def until_offered(agui: AgUiClient, *, offered: bool = True) -> str | None:
    """Why the tool is not available, once that is as wanted."""
    async with asyncio.timeout(30):
        while True:
            answer = await agui.http.get("/v1/tools")
            [tool] = [each for each in answer.json()["items"] if each["name"] == "python_executor"]
            if tool["available"] == offered and "No workflow" not in str(tool["reason"]):
                why: str | None = tool["reason"]
                return why
            await asyncio.sleep(0.05)


def shown(turn: Turn) -> list[tuple[str, str]]:
    """What came of the program's output."""
    patches = [p for event in turn.of("ACTIVITY_DELTA") for p in event["patch"]]
    chunks = [p["value"] for p in patches if p["path"] == "/chunks/-"]
    return [(chunk["stream"], chunk["text"]) for chunk in chunks]


@pytest.mark.needs("docker")
async def test_output_streams_and_the_file_and_the_report_come_back(
    deployment: Deployment, serve: Serve, provider: FakeProvider
) -> None:
    async with serve(coding(deployment), sandbox=ENGINE) as (agui, books):
        await until_offered(agui)
        provider.scenario = writes(CODE)
        turn = await agui.ask("Count.")

        assert turn.breaches == []
        assert (
            "".join(text for stream, text in shown(turn) if stream == "stdout") == "first\nlast\n"
        )
        assert "".join(text for stream, text in shown(turn) if stream == "stderr") == "problem\n"
        [result] = turn.of("TOOL_CALL_RESULT")
        report = json.loads(result["content"])
        [artifact] = report.pop("artifacts")
        assert report == {
            "status": "ok",
            "exit_code": 0,
            "stdout": "first\nlast\n",
            "stderr": "problem\n",
        }
        file = await agui.http.get(f"/v1/artifacts/{artifact['id']}")
        assert file.content == b"a,b\n1,2\n"
        assert await books.audit() == {}


@pytest.mark.needs("docker")
async def test_a_stop_ends_the_program(
    deployment: Deployment, serve: Serve, provider: FakeProvider
) -> None:
    async with serve(coding(deployment), sandbox=ENGINE) as (agui, _):
        await until_offered(agui)
        provider.scenario = writes("import os\nos.write(1, b'on\\n')\nwhile True: pass\n")
        async with agui.open("Count.") as (turn, events):
            async for event in events:
                if event["type"] == "ACTIVITY_DELTA" and "/chunks/-" in str(event["patch"]):
                    await agui.http.post(f"/v1/runs/{turn.run_id}/cancel")

        assert "".join(text for _, text in shown(turn)).startswith("on")
        [result] = turn.of("TOOL_CALL_RESULT")
        assert result["content"] == "Stopped before it had a result."


async def test_without_an_engine_the_tool_is_not_offered_and_all_else_works(
    deployment: Deployment, serve: Serve, provider: FakeProvider
) -> None:
    async with serve(coding(deployment), sandbox=NO_ENGINE) as (agui, _):
        why = await until_offered(agui, offered=False)
        provider.scenario = chat_script(complexity="simple")
        turn = await agui.ask("Hello")

        assert turn.text == "The work is done."
        assert why is not None
        assert why == "No Docker engine answers."  # and not where it was looked for
        for body in provider.bodies:
            offered = [tool["function"]["name"] for tool in body.get("tools", [])]
            assert "python_executor" not in offered
