"""Servers that are started here."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from tests.fakes.mcp_process import RAW, is_alive, until
from tests.tools.mcp.running import log_of, stdio, using


async def test_nothing_is_started_before_somebody_needs_it(tmp_path: Path) -> None:
    log = log_of(tmp_path)
    async with using(stdio("one", log.path)) as use:
        await asyncio.sleep(0.1)
        assert log.lines() == []
        assert await use.ready("calculator") == []
        assert log.lines() == []

        assert "one__echo" in await use.ready("one__echo")
        await use.ready("one__*")
    assert len(log.pids()) == 1
    await until(lambda: not is_alive(log.pids()[0]))


async def test_a_tool_is_called_and_its_text_is_the_result(tmp_path: Path) -> None:
    log = log_of(tmp_path)
    async with using(stdio("one", log.path)) as use:
        await use.ready()
        outcome = await use.call("one__echo", '{"text": "hi"}')
        wrong = await use.call("one__echo", '{"txt": 5}')
    assert (outcome.status, outcome.content) == ("ok", "one: hi")
    assert wrong.status == "error"
    assert "'text' is a required property" in wrong.content
    assert len(log.asked("echo")) == 1


async def test_a_server_that_ends_under_a_call_is_started_again_for_the_next(
    tmp_path: Path,
) -> None:
    log = log_of(tmp_path)
    async with using(stdio("one", log.path)) as use:
        await use.ready()
        died = await use.call("one__die")
        after = await use.call("one__echo", '{"text": "again"}')
    assert died.status == "error"
    assert "nobody knows whether it was done" in died.content
    assert (after.status, after.content) == ("ok", "one: again")
    assert len(set(log.pids())) == 2
    assert len(log.asked("die")) == 1


async def test_a_call_that_takes_too_long_is_given_up_and_the_server_told(tmp_path: Path) -> None:
    log = log_of(tmp_path)
    async with using(stdio("one", log.path, call_timeout_s=0.5)) as use:
        await use.ready()
        outcome = await use.call("one__slow")
        assert "did not answer in time" in outcome.content
        await log.until(lambda lines: any(line.get("ended") == "slow" for line in lines))
        assert (await use.call("one__echo", '{"text": "x"}')).status == "ok"
    assert len(log.pids()) == 1


async def test_a_stopped_call_returns_at_once_and_the_server_is_told(tmp_path: Path) -> None:
    log = log_of(tmp_path)
    async with using(stdio("one", log.path)) as use:
        await use.ready()
        call = asyncio.ensure_future(use.call("one__slow"))
        await until(lambda: log.asked("slow"))
        call.cancel()
        done, _ = await asyncio.wait([call], timeout=2)
        assert done
        assert call.cancelled()
        await log.until(lambda lines: any(line.get("ended") == "slow" for line in lines))


async def test_bytes_that_no_careful_server_sends_are_read_all_the_same(tmp_path: Path) -> None:
    async with using(stdio("raw", tmp_path / "log", script=RAW, call_timeout_s=1)) as use:
        await use.ready()
        nan = await use.call("raw__nan")
        surrogate = await use.call("raw__surrogate")
        nothing = await use.call("raw__nothing")
        strange = await use.call("raw__strange")
        plain = await use.call("raw__plain")
        garbage = await use.call("raw__garbage")
        assert (await use.call("raw__plain")).status == "ok"
    assert json.loads(nan.content) == {"a": None, "b": [None, 1]}
    assert json.loads(plain.content) == [None, 1]
    assert surrogate.content == "cut \ufffd here"
    assert nothing.status == "error"
    assert "what is no result" in nothing.content
    assert strange.content == "[hologram, not shown]\nseen"
    assert garbage.status == "error"


async def test_a_message_without_end_costs_the_connection_and_no_more(tmp_path: Path) -> None:
    log = log_of(tmp_path)
    async with using(stdio("one", log.path)) as use:
        await use.ready()
        outcome = await use.call("one__huge")
        after = await use.call("one__echo", '{"text": "x"}')
    assert outcome.status == "error"
    assert after.status == "ok"


async def test_a_program_that_is_not_there_leaves_its_tools_out(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    from callsheet.tools.mcp.server import McpServer, Program

    missing = McpServer("gone", Program("no-such-program-anywhere"), ("*",))
    async with using(missing, stdio("one", tmp_path / "log")) as use:
        offered = await use.ready()
        [down, _] = use.mcp.standings()
    assert offered
    assert not [name for name in offered if name.startswith("gone__")]
    assert down.down == "there is no program 'no-such-program-anywhere' on the PATH"
