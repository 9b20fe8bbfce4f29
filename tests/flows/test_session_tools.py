"""The tools of a session are those of the agents that answer its next message."""

from __future__ import annotations

import asyncio
import shutil

import httpx

from tests.fakes.agui_client import AgUiClient
from tests.fakes.deployment import Deployment
from tests.fixtures.app import Serve

ALICE, BOB = "sk-alice-0123456789", "sk-bob-0123456789"
POLICY = """
"current_*": {policy: deny}
"""


def second_workflow(deployment: Deployment) -> None:
    """`plain`, whose working agent has two tools, one of which a pattern takes away."""
    shutil.copytree(deployment.crews / "chat", deployment.crews / "plain")
    deployment.give_tools("calculator", "current_time", workflow="plain")
    tools = deployment.config / "tools.yaml"
    written = tools.read_text("utf-8")
    assert "current_time:\n  policy: allow\n" in written
    tools.write_text(
        written.replace("current_time:\n  policy: allow\n", "current_time:\n") + POLICY, "utf-8"
    )


async def names(agui: AgUiClient, session: str, **query: str) -> tuple[str, list[str]]:
    answer = await agui.http.get(f"/v1/sessions/{session}/tools", params=query)
    assert answer.status_code == 200, answer.text
    document = answer.json()
    return document["workflow"], [tool["name"] for tool in document["items"]]


async def test_a_session_has_the_tools_of_its_last_workflow_and_only_for_its_user(
    deployment: Deployment, serve: Serve
) -> None:
    second_workflow(deployment)
    auth = {"api_keys": [f"alice:{ALICE}", f"bob:{BOB}"]}
    async with serve(deployment, auth=auth) as (agui, _):
        agui.http.headers["Authorization"] = f"Bearer {ALICE}"
        made = (await agui.http.post("/v1/sessions", json={})).json()["id"]
        workflow, found = await names(agui, made)
        assert workflow == "chat"
        assert {"calculator", "ask_user", "send_mail"} <= set(found)
        assert "current_time" not in found
        assert await names(agui, made, workflow="plain") == ("plain", ["calculator"])

        turn = await agui.ask("Hello", path="/v1/agent-chat/plain")
        session = turn.headers["x-session-id"]
        assert await names(agui, session) == ("plain", ["calculator"])
        shutil.rmtree(deployment.crews / "plain")
        async with asyncio.timeout(20):  # folders are looked at every 0.1 s
            while (await names(agui, session))[0] != "chat":
                await asyncio.sleep(0.05)

        other = httpx.Headers({"Authorization": f"Bearer {BOB}"})
        answer = await agui.http.get(f"/v1/sessions/{session}/tools", headers=other)
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
        every = (await agui.http.get("/v1/tools", headers=other)).json()["items"]
        policies = {tool["name"]: tool["policy"] for tool in every}
        assert (policies["current_time"], policies["calculator"]) == ("deny", "allow")
