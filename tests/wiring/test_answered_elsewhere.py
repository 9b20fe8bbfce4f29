"""A process without workers takes an answer, and a worker goes on with it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from callsheet.db.transaction import Database
from callsheet.events.interrupt import InterruptAnswered
from callsheet.events.run import RunFinished, RunPaused
from callsheet.interrupts.answer import Answer, GivenAnswer
from callsheet.interrupts.judge import Given
from callsheet.llm.chat import ChatRequest
from callsheet.runs.started import StartedRun
from callsheet.wiring.application import Application
from tests.fakes.chat import Script, ScriptedChat, Wait, calls, text
from tests.fakes.chat_script import EXECUTION, INTENT, judged
from tests.ledger.bookings import assert_sound
from tests.sessions.rows import rows
from tests.wiring.stage import (
    USER,
    all_of,
    application,
    begin,
    said_to,
    settings_of,
    until_text,
    wish,
)

MAIL = {"to": ["ann@b.example"], "subject": "s", "body": "b"}
AGENTS = "deployment/crews/chat/agents.yaml"


def mailing(request: ChatRequest) -> Script:
    told = said_to(request)
    if INTENT in told:
        return text(judged("simple"))
    if EXECUTION in told and request.messages[-1]["role"] != "tool":
        return calls(("send_mail", MAIL))
    return text("The work is done.")


async def paused(app: Application) -> tuple[Any, RunPaused]:
    run = await begin(app, "Write to Ann")
    end = (await all_of(run.entries))[-1].event
    assert isinstance(end, RunPaused)
    return run, end


async def answer(app: Application, session_id: Any, pause: RunPaused) -> StartedRun:
    [asked] = pause.interrupts
    given = GivenAnswer(asked.interrupt_id, Answer("resolved", {"approved": True}), "resume/0")
    request = replace(wish("", session_id), given=Given((given,)), is_said_last=False)
    return await app.chat.start(USER, None, request, "trace-2")


def told_and_hanging(request: ChatRequest) -> Script:
    """The mail is out; then half of the answer, and nothing more."""
    return [*text("Half the ")[:-1], Wait(600)]


@pytest.mark.parametrize("is_edited", [False, True])
async def test_a_worker_goes_on_in_the_revision_that_the_run_was_begun_with(
    tmp_path: Path, database: Database, database_url: str, is_edited: bool
) -> None:
    settings = settings_of(tmp_path, database_url)
    chat = ScriptedChat(choose=mailing)
    async with application(settings, chat) as first:
        await first.ready()
        run, pause = await paused(first)
    if is_edited:
        file = tmp_path / AGENTS
        edited = file.read_text("utf-8").replace("role: Problem solver", "role: Somebody else")
        file.write_text(edited, "utf-8")
    before = len(chat.requests)
    async with (
        application(settings, chat, kind="api") as api,
        application(settings, chat, kind="worker") as worker,
    ):
        await api.ready()
        await worker.ready()
        entries = await all_of((await answer(api, run.session_id, pause)).entries)
        assert isinstance(entries[-1].event, RunFinished)
        heard = [entry.event for entry in entries if isinstance(entry.event, InterruptAnswered)]
        assert [each.payload for each in heard] == [{"approved": True}]
        assert len(chat.requests) == before + 1
        assert EXECUTION in said_to(chat.requests[-1])
        found = await rows(
            database, "SELECT worker_id, revision FROM runs WHERE continues_run_id IS NOT NULL"
        )
        begun_with = await rows(
            database, "SELECT revision FROM runs WHERE continues_run_id IS NULL"
        )
        assert found == [(worker.core().worker_id, *begun_with[0])]
    assert await rows(database, "SELECT recipients FROM outbox") == [(MAIL["to"],)]
    await assert_sound(database)


async def test_another_worker_goes_on_where_a_call_was_made_that_an_earlier_run_had_asked_for(
    tmp_path: Path, database: Database, database_url: str
) -> None:
    settings = settings_of(tmp_path, database_url)
    chat = ScriptedChat(choose=mailing)
    async with application(settings, chat) as first:
        await first.ready()
        run, pause = await paused(first)
    async with application(settings, ScriptedChat(choose=told_and_hanging), drain_s=0.1) as ends:
        await ends.ready()
        after = await answer(ends, run.session_id, pause)
        await until_text(after.entries, "Half the ")
    async with application(settings, chat) as next_one:
        await next_one.ready()
        entries = await all_of((await next_one.runs.watch(USER, after.run_id)).entries)
    assert isinstance(entries[-1].event, RunFinished)
    assert await rows(database, "SELECT recipients FROM outbox") == [(MAIL["to"],)]
    await assert_sound(database)


async def test_a_run_ends_whose_call_an_earlier_run_had_asked_for(
    tmp_path: Path, database: Database, database_url: str
) -> None:
    settings = settings_of(tmp_path, database_url)
    chat = ScriptedChat(choose=mailing)
    async with application(settings, chat) as first:
        await first.ready()
        run, pause = await paused(first)
    async with application(settings, ScriptedChat(choose=told_and_hanging), drain_s=0.1) as ends:
        await ends.ready()
        after = await answer(ends, run.session_id, pause)
        await until_text(after.entries, "Half the ")
    async with application(settings, chat, kind="api") as api:
        await api.ready()
        stopped = await api.runs.cancel(USER, after.run_id)
    assert stopped.status == "cancelled"
    await assert_sound(database)
