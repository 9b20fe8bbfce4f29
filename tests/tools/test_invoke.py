"""A tool call ends as an outcome whatever the model wrote and whatever the tool did."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from pydantic import BaseModel

from callsheet.kit.errors import ToolFailed, ToolRetry
from callsheet.tools.options import ToolOptions
from tests.tools.calls import Nothing, Scripted, Search, call


async def test_the_arguments_reach_the_tool_as_its_own_record() -> None:
    tool = Scripted(lambda args: f"{args.limit} of {args.query}")
    outcome = await call(tool, '{"query": "tea", "limit": "2"}')
    assert (outcome.status, outcome.content) == ("ok", "2 of tea")
    assert tool.calls == [Search(query="tea", limit=2)]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("", "query: Field required"),
        ("  ", "query: Field required"),
        ("{}", "query: Field required"),
        ("null", "one JSON object, not null"),
        ("[]", "one JSON object, not a list"),
        ('"tea"', "one JSON object, not a text"),
        ("7", "one JSON object, not a plain value"),
        ('{"query": "te', "not valid JSON"),
        ("{'query': 'tea'}", "not valid JSON"),
        ('{"query":"a"}{"query":"b"}', "not valid JSON"),
        ('{"query": "a", "limit": Infinity}', "not valid JSON"),
        ('{"query": "a", "limit": NaN}', "not valid JSON"),
        ('{"query": "a", "limit": 1e999}', "too large"),
        ('{"query": "a", "deep": [{"x": -1e999}]}', "too large"),
        ("[" * 400_001, "longer than"),
        ("[" * 30_000, "not valid JSON"),
        ('{"query": "a", "limit": ' + "9" * 5000 + "}", "valid"),
        ('{"query": "a", "limit": 99}', "limit: Input should be less than or equal to 10"),
        ('{"query": "", "order": "up"}', "order: Input should be 'new' or 'old'"),
    ],
)
async def test_broken_arguments_go_back_to_the_model(arguments: str, says: str) -> None:
    tool = Scripted(lambda args: "never")
    outcome = await call(tool, arguments)
    assert outcome.status == "error"
    assert outcome.content.startswith("Error: ")
    assert says in outcome.content
    assert len(outcome.content) < 400
    assert tool.calls == []


async def test_no_text_at_all_is_fine_for_a_tool_that_needs_nothing() -> None:
    outcome = await call(Scripted(lambda args: "done", Nothing), "")
    assert (outcome.status, outcome.content) == ("ok", "done")


async def test_many_wrong_fields_are_named_but_not_all() -> None:
    class Wide(BaseModel):
        a: int
        b: int
        c: int
        d: int
        e: int
        f: int
        g: int

    outcome = await call(Scripted(lambda args: "", Wide), "{}")
    assert "e: Field required; and 2 more" in outcome.content


async def test_the_values_of_wrong_arguments_are_not_repeated() -> None:
    outcome = await call(Scripted(lambda args: ""), '{"query": {"secret": "hunter2"}}')
    assert "query" in outcome.content
    assert "hunter2" not in outcome.content


@pytest.mark.parametrize("name", ["no_such_tool", "search"])
async def test_a_tool_out_of_reach_is_refused_without_naming_the_others(name: str) -> None:
    tool = Scripted(lambda args: "never")
    outcome = await call(tool, '{"query":"a"}', name=name, allowed=frozenset({"calculator"}))
    assert outcome.status == "error"
    assert outcome.content == f"Error: There is no tool called {name!r}; go on without it."
    assert tool.calls == []


@pytest.mark.parametrize("error", [ToolRetry("use a city"), ToolFailed("use a city")])
async def test_a_tool_may_tell_the_model_what_is_wrong(error: Exception) -> None:
    def fail(args: Any) -> Any:
        raise error

    outcome = await call(Scripted(fail), '{"query":"a"}')
    assert (outcome.status, outcome.content) == ("error", "Error: use a city")


async def test_an_error_holds_only_what_the_journal_can_store() -> None:
    def refuse(_args: Any) -> Any:
        raise ToolFailed("no\x00 such\ud800 page")

    outcome = await call(Scripted(refuse), '{"query": "x"}')
    assert outcome.content == "Error: no\ufffd such\ufffd page"


async def test_a_crash_inside_a_tool_shows_nothing_of_the_inside() -> None:
    def fail(args: Any) -> Any:
        raise KeyError("postgres://admin:hunter2@db")

    outcome = await call(Scripted(fail), '{"query":"a"}')
    assert outcome.status == "error"
    assert outcome.content == "Error: the tool 'search' failed inside; go on without it."


async def test_a_slow_tool_is_stopped_at_its_own_limit() -> None:
    stopped: list[str] = []

    async def slow() -> str:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            stopped.append("yes")
            raise
        return "late"

    outcome = await call(
        Scripted(lambda args: slow()), '{"query":"a"}', options=ToolOptions(timeout_s=0.05)
    )
    assert outcome.status == "error"
    assert "did not finish in time" in outcome.content
    assert 40 <= outcome.latency_ms < 5_000
    assert stopped == ["yes"]


async def test_the_call_gets_no_more_time_than_the_turn_has_left() -> None:
    outcome = await call(Scripted(lambda args: asyncio.sleep(60)), '{"query":"a"}', seconds=0.05)
    assert "did not finish in time" in outcome.content


async def test_a_timeout_of_the_tools_own_making_is_a_crash_not_our_deadline() -> None:
    def fail(args: Any) -> Any:
        raise TimeoutError

    outcome = await call(Scripted(fail), '{"query":"a"}')
    assert "failed inside" in outcome.content


@pytest.mark.parametrize("end", [SystemExit(2), asyncio.CancelledError()])
async def test_a_tool_that_ends_itself_ends_neither_the_process_nor_the_round(
    end: BaseException,
) -> None:
    def leave(args: Any) -> Any:
        raise end

    outcome = await call(Scripted(leave), '{"query":"a"}')
    assert outcome.content == "Error: the tool 'search' failed inside; go on without it."


async def test_a_stop_passes_through() -> None:
    begun = asyncio.Event()

    async def slow() -> str:
        begun.set()
        await asyncio.sleep(60)
        return "late"

    async with asyncio.TaskGroup() as group:
        task = group.create_task(call(Scripted(lambda args: slow()), '{"query":"a"}'))
        await begun.wait()
        task.cancel()
    assert task.cancelled()
