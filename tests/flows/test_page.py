"""The built-in page in a real browser, on the whole product."""

from __future__ import annotations

import asyncio
import json
import re

import msgspec
import pytest

from tests.fakes.agui_client import AgUiClient
from tests.fakes.books import Books
from tests.fakes.chat_script import EXECUTION, chat_script
from tests.fakes.deployment import Deployment
from tests.fakes.line import Line
from tests.fakes.own_tools import give
from tests.fakes.provider.scenario import Rule
from tests.fakes.provider.server import FakeProvider
from tests.fixtures.app import Serve
from tests.web.drive import drive

pytestmark = pytest.mark.needs("chromium")

EVIL = (
    "\u0634\u0643\u0631\u0627 <img src=x onerror=alert(1)><script>alert(2)</script>"
    "[x](javascript:alert(3)) " + "long" * 100
)


async def test_what_a_model_wrote_is_shown_as_the_text_it_is(
    agui: AgUiClient, provider: FakeProvider, books: Books
) -> None:
    provider.scenario = chat_script(organization={"text": EVIL})
    seen = await asyncio.to_thread(drive, "turn.mjs", str(agui.http.base_url).rstrip("/"))
    assert seen["answers"] == [EVIL]
    assert seen["elements"] == 0
    assert seen["direction"] == "rtl"
    assert seen["overflow"] is False
    assert [state for _, state in seen["stages"]] == ["done", "done", "done"]
    assert seen["again"] == ["hello", EVIL]
    assert (seen["faults"], seen["foreign"], seen["stop"]) == ([], [], False)
    assert await books.audit() == {}


async def test_stop_on_the_page_stops_the_run(
    agui: AgUiClient, provider: FakeProvider, books: Books
) -> None:
    provider.scenario = chat_script(execution={"text": None, "chunks": 5, "fault": "stall",
                                               "fault_at": 3})  # fmt: skip
    seen = await asyncio.to_thread(drive, "turn.mjs", str(agui.http.base_url).rstrip("/"), "stop")
    assert seen["stages"] == [["intent", "done"], ["execution", "cancelled"]]
    assert seen["again"] == ["hello"]
    assert (seen["faults"], seen["foreign"], seen["stop"]) == ([], [], False)
    [gone] = provider.stats.disconnected
    assert gone is not None
    assert provider.stats.requests == 2
    assert [call["status"] for call in await books.calls()] == ["settled", "aborted"]
    assert await books.audit() == {}


async def test_a_lost_connection_and_a_broken_run_are_gone_on_with(
    agui: AgUiClient, provider: FakeProvider, books: Books
) -> None:
    provider.scenario = chat_script(
        execution={"text": None, "chunks": 30, "gap_s": 0.08},
        organization={"fault": "drop", "fault_at": 2, "fault_every": 3, "fault_times": 1},
    )
    port = agui.http.base_url.port
    assert port is not None
    async with Line(port) as line, asyncio.TaskGroup() as group:
        address = str(agui.http.base_url).rstrip("/")
        by_line = f"MAP 127.0.0.1:{port} 127.0.0.1:{line.port}"
        driven = group.create_task(asyncio.to_thread(drive, "again.mjs", address, by_line))
        await provider.until(lambda seen: seen.requests == 2, within_s=60)
        line.cut()
        async with asyncio.timeout(20):
            while line.refused < 2:
                await asyncio.sleep(0.02)
        line.mend()
        seen = await driven
    for shown in (seen["cut"], seen["reloaded"]):
        assert shown["answer"] == ["Here is your answer."]
        words = re.findall(r"w\d{5}", shown["steps"])
        assert words == [f"w{number:05}" for number in range(30)]
    assert (seen["cut"]["lost"], seen["reloaded"]["turns"], seen["stop"]) == (False, 2, True)
    assert seen["goneOn"] == {
        "answer": ["Here is your answer."], "users": 3, "again": 0, "alert": False,
    }  # fmt: skip
    assert (seen["faults"], seen["overflow"]) == ([], False)
    assert await books.audit() == {}


async def test_a_person_answers_on_the_page_what_a_run_waits_for(
    deployment: Deployment, serve: Serve, provider: FakeProvider
) -> None:
    give(deployment, "request_plan_approval")
    async with serve(deployment) as (agui, books):
        await answers_on_the_page(agui, provider, books)


async def answers_on_the_page(agui: AgUiClient, provider: FakeProvider, books: Books) -> None:
    colour = {"question": f"Which colour? {EVIL}"[:500], "choices": ["red", "<b>blue</b>"]}
    ask = {"name": "ask_user", "arguments": json.dumps({"questions": [colour]})}
    mail = {"to": ["ann@example.com"], "subject": "Hello", "body": "There"}
    send = {"name": "send_mail", "arguments": json.dumps(mail)}
    steps = {"title": "Go", "steps": ["First", "<b>then</b>"]}
    plan = {"name": "request_plan_approval", "arguments": json.dumps(steps)}
    scenario = chat_script()
    rules = [
        Rule(match=f"{EXECUTION}.*{words}", set={"text": "The work is done.", "tools": [tool]})
        for words, tool in (
            ("ask me again", ask),
            ("show me a plan", plan),
            ("send a mail", send),
            ("ask me", ask),
        )
    ]
    provider.scenario = msgspec.structs.replace(scenario, rules=(*rules, *scenario.rules))
    seen = await asyncio.to_thread(drive, "asked.mjs", str(agui.http.base_url).rstrip("/"))
    assert seen["asked"] == [colour["question"]]
    assert seen["choices"] == ["red · <b>blue</b>"]
    assert "no JSON" in seen["invalid"]
    assert seen["why"] == [
        "A mail is sent in the user's name.",
        "The tool has to be allowed each time it is used.",
    ]
    assert seen["plan"] == ["A plan", "First", "<b>then</b>"]
    assert (seen["elements"], seen["left"], seen["overflow"]) == (0, 0, False)
    assert seen["faults"] == []
    [sent] = await books.rows("SELECT recipients, subject, body FROM outbox")
    assert sent == {"recipients": ["bob@example.com"], "subject": "Changed", "body": "By hand"}
    answered = await books.rows("SELECT payload FROM interrupts ORDER BY created_at")
    assert json.loads(answered[0]["payload"]) == {"answers": ["red"]}
    assert await books.one("SELECT count(*) FROM interrupts WHERE status = 'answered'") == 4
    assert await books.audit() == {}
