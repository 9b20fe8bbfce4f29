"""Both generations of the official client come back to a session whose run another process has."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import httpx
import pytest

from tests.fakes.agui_client import AgUiClient
from tests.fakes.chat_script import chat_script
from tests.fakes.deployment import Deployment
from tests.fakes.provider.server import FakeProvider
from tests.fakes.two_apps import two_apps
from tests.plugins.needs import WEB, node

pytestmark = pytest.mark.needs("node")

SUM = {"name": "calculator", "arguments": '{"expression": "17*23"}'}


async def come_back(
    agui: AgUiClient, generation: str, thread_id: str
) -> asyncio.subprocess.Process:
    asked = {"url": f"{agui.http.base_url}/v1/sessions/{thread_id}/connect", "threadId": thread_id}
    return await asyncio.create_subprocess_exec(
        str(node()),
        str(WEB / "connect_client.mjs"),
        str(WEB / generation),
        json.dumps(asked),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )


@pytest.mark.parametrize("generation", ["agui-1.0", "agui-0.0"])
async def test_what_was_said_and_the_run_under_way_make_one_conversation(
    deployment: Deployment, database_url: str, provider: FakeProvider, generation: str
) -> None:
    async with two_apps(deployment.settings(database_url)) as (here, there):
        await here.ask("one", thread_id="t")
        held = {"text": None, "chunks": 40, "batch": 5, "held": True}
        provider.scenario = chat_script(execution={"tools": [SUM]}, organization=held)
        async with asyncio.timeout(60), here.open("two", thread_id="t") as (turn, events):
            async for event in events:
                if event["type"] == "TEXT_MESSAGE_CONTENT":
                    break
            client = await come_back(there, generation, "t")
            assert client.stderr is not None
            assert await client.stderr.readline() == b"live\n"
            async with httpx.AsyncClient() as control:
                await control.post(f"{provider.base_url.removesuffix('/v1')}/control/release")
            async for _ in events:
                pass
            output, errors = await client.communicate()
    assert client.returncode == 0, errors.decode()
    seen: dict[str, Any] = json.loads(output)
    assert (seen["rejected"], seen["complaints"]) == (None, [])
    said = [
        (each["role"], each.get("content"))
        for each in seen["messages"]
        if each["role"] in ("user", "assistant") and each.get("content")
    ]
    assert said == [
        ("user", "one"),
        ("assistant", "Here is your answer."),
        ("user", "two"),
        ("assistant", turn.text),
    ]
    calls = [call["id"] for each in seen["messages"] for call in each.get("toolCalls", ())]
    assert calls == [event["toolCallId"] for event in turn.of("TOOL_CALL_START")]
    assert seen["events"]["RUN_FINISHED"] == 1
    ours = turn.of("STATE_DELTA")[-1]["delta"][0]["value"]
    assert seen["state"]["callsheet"] == ours
