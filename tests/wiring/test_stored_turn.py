"""A run is read back as its admission gave it out, with the revision that it was begun with."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from decimal import Decimal
from pathlib import Path

import pytest

from callsheet.db.transaction import Database
from callsheet.kit.errors import NotFound, TurnFailed
from callsheet.kit.ids import new_id
from callsheet.sessions.settings import SessionChange, SessionSettings
from callsheet.turn.request import TurnRequest
from callsheet.wiring.application import Application
from callsheet.wiring.stored_turn import load_turn, load_workflow
from tests.sessions.rows import change
from tests.wiring.stage import USER, all_of, application, begin, settings_of

AGENTS = "crews/chat/agents.yaml"


@pytest.fixture
async def app(tmp_path: Path, database_url: str) -> AsyncIterator[Application]:
    async with application(settings_of(tmp_path, database_url)) as app:
        await app.ready()
        yield app


def edit(tmp_path: Path, old: str, new: str) -> None:
    file = tmp_path / "deployment" / AGENTS
    text = file.read_text("utf-8")
    assert old in text
    file.write_text(text.replace(old, new), "utf-8")


async def test_a_run_is_read_back_as_it_was_asked(app: Application) -> None:
    first = await begin(app, "Hello 世界")
    await all_of(first.entries)
    mine = SessionChange(mode="plan", persona="Rhyme.", budget=Decimal(5))
    await app.sessions.change(USER, first.session_id, mine)
    second = await begin(app, "And again", first.session_id)
    await all_of(second.entries)
    session_tokens = []
    for run, said in ((first, "Hello 世界"), (second, "And again")):
        stored = await load_turn(app.core(), run.run_id)
        turn = stored.turn
        assert (turn.run_id, turn.session_id) == (run.run_id, run.session_id)
        assert (turn.message_text, turn.is_first) == (said, run is first)
        assert (turn.trace_id, turn.currency) == ("trace-1", "USD")
        assert (stored.workflow_name, stored.lease_epoch) == ("chat", 0)
        assert stored.revision == app.workflows.get("chat").revision
        assert turn.settings == SessionSettings("plan", "Rhyme.", Decimal(5))
        session_tokens.append(turn.session_tokens)
    assert session_tokens[0] == 0 < session_tokens[1]


async def test_a_run_that_has_not_begun_gets_the_totals_of_now_and_the_active_revision(
    app: Application, database: Database
) -> None:
    run = await begin(app, "Hello")
    await all_of(run.entries)
    spent = (await load_turn(app.core(), run.run_id)).turn
    await change(database, "DELETE FROM run_events")
    await change(database, "UPDATE runs SET revision = NULL")
    waiting = await load_turn(app.core(), run.run_id)
    assert (spent.session_tokens, waiting.revision) == (0, None)
    assert waiting.turn.session_tokens > 0
    active = await load_workflow(app.core(), app.workflows, "chat", None)
    assert active is app.workflows.get("chat")


async def test_a_run_that_is_not_there_is_not_found(app: Application) -> None:
    with pytest.raises(NotFound):
        await load_turn(app.core(), new_id())


async def test_an_edit_does_not_touch_a_run_that_was_begun_before_it(
    app: Application, tmp_path: Path
) -> None:
    run = await begin(app, "Hello")
    await all_of(run.entries)
    before = app.workflows.get("chat")
    edit(tmp_path, "role: Editor", "role: Proof reader")
    async with asyncio.timeout(20):
        while app.workflows.get("chat").revision == before.revision:
            await app.workflows.refresh()
    stored = await load_turn(app.core(), run.run_id)
    kept = await load_workflow(app.core(), app.workflows, "chat", stored.revision)
    assert kept == before
    assert app.workflows.get("chat").revision != before.revision


@pytest.mark.parametrize("how", ["not kept", "cannot be built", "another workflow"])
async def test_a_revision_that_is_gone_is_told_as_such(
    app: Application, database: Database, how: str
) -> None:
    run = await begin(app, "Hello")
    await all_of(run.entries)
    if how == "cannot be built":
        await change(
            database,
            "UPDATE workflow_revisions SET revision = 'old', "
            "files = files || jsonb_build_object('agents.yaml', 'planner: {role: x}')",
        )
    name = "letters" if how == "another workflow" else "chat"
    revision = None if how == "another workflow" else "old"
    with pytest.raises(TurnFailed) as gone:
        await load_workflow(app.core(), app.workflows, name, revision)
    assert gone.value.error_code == "revision_gone"


def test_nothing_of_a_turn_is_forgotten() -> None:
    """A field that is added to the request has to be read back too."""
    assert set(TurnRequest.__slots__) == {
        "run_id", "session_id", "user_id", "workflow", "message_id", "message_text", "trace_id",
        "parent_run_id", "is_first", "session_tokens", "session_cost", "currency",
        "on_disconnect", "settings", "client_tools", "context",
    }  # fmt: skip
