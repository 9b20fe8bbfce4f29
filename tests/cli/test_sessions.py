"""Conversations without a browser."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import text

from callsheet.artifacts.options import ArtifactOptions
from callsheet.auth.principal import principal_named
from callsheet.db.options import DatabaseOptions
from callsheet.db.transaction import Database
from callsheet.kit.clock import SystemClock
from callsheet.kit.deadline import Deadline
from callsheet.tools.context import ToolContext
from callsheet.wiring.kept_artifacts import KeptArtifacts
from callsheet.wiring.kept_todos import KeptTodos
from tests.cli.conftest import Callsheet
from tests.fixtures.booked import Booked, book_turns, change
from tests.fixtures.database import run_apart
from tests.todos.lists import wish

ANN = principal_named("ann")


@pytest.fixture
def booked(database_url: str) -> Booked:
    """A session of ann's with two turns."""

    async def book() -> Booked:
        database = Database.from_options(DatabaseOptions(database_url), pooled=False)
        booked = await book_turns(database)
        await change(
            database,
            "INSERT INTO users (id, name) VALUES (:id, 'ann')",
            {"id": ANN.user_id},
        )
        of_session = {"sessions": "id", "runs": "session_id", "llm_calls": "session_id"}
        for table, column in of_session.items():
            await change(
                database,
                f"UPDATE {table} SET user_id = :user WHERE {column} = :id",
                {"user": ANN.user_id, "id": booked.session_id},
            )
        await database.close()
        return booked

    return run_apart(book())


def test_a_list_shows_what_each_cost(deployed: Callsheet, booked: Booked) -> None:
    ran = deployed("sessions", "list", "--user", "ann")
    assert str(booked.session_id) in ran.out
    assert "0.001600" in ran.out
    assert deployed("sessions", "list").out == "(none)\n"


@pytest.mark.parametrize("name", ["recent", "id"])
def test_a_session_is_shown_with_its_messages(
    deployed: Callsheet, booked: Booked, name: str
) -> None:
    named = str(booked.session_id) if name == "id" else name
    ran = deployed("sessions", "show", named, "--user", "ann")
    assert ran.out.count("What is 17*23?") == 2
    assert "qwen3.5-flash · 1000 in, 300 out · 0.000800 USD" in ran.out


def test_another_users_session_is_not_there(deployed: Callsheet, booked: Booked) -> None:
    ran = deployed("sessions", "show", str(booked.session_id))
    assert ran.status == 1
    assert "local has no session" in ran.err


def test_a_deleted_session_is_gone_and_its_money_is_not(
    deployed: Callsheet, booked: Booked
) -> None:
    named = str(booked.session_id)
    assert deployed("sessions", "delete", named, "--user", "ann", "--yes").status == 0
    assert deployed("sessions", "show", named, "--user", "ann").status == 1
    audit = deployed("audit", "--reports")
    assert audit.status == 0
    assert "0.001600" in audit.out


def test_a_title_does_not_command_the_terminal(
    deployed: Callsheet, booked: Booked, database_url: str
) -> None:
    async def name() -> None:
        database = Database.from_options(DatabaseOptions(database_url), pooled=False)
        await change(database, r"UPDATE sessions SET title = E'a\x1b[2J'", {})
        await database.close()

    run_apart(name())
    for words in (("list",), ("show", str(booked.session_id))):
        shown = deployed("sessions", *words, "--user", "ann")
        assert shown.status == 0
        assert "\x1b" not in shown.out
        assert "\ufffd[2J" in shown.out


def made(data: Path, database_url: str, booked: Booked) -> None:
    """A file that a tool made in the booked session, and a todo list."""

    async def make() -> None:
        database = Database.from_options(DatabaseOptions(database_url), pooled=False)
        async with database.read() as tx:
            run = (await tx.execute(text("SELECT id FROM runs LIMIT 1"))).scalar_one()
        await change(database, "UPDATE runs SET finished_at = NULL", {})
        context = ToolContext(
            user_id=ANN.user_id,
            session_id=booked.session_id,
            run_id=run,
            tool_call_id="c",
            agent="a",
            deadline=Deadline.after(30),
            clock=SystemClock(),
        )
        kept = KeptArtifacts(lambda: database, data, ArtifactOptions())
        await kept.keep(context, "out/sum.csv", b"a\n")
        await kept.keep(context, "out/sum.csv", b"a,b\n")
        await KeptTodos(lambda: database).put(context, wish(">look", "-write"))
        await database.close()

    run_apart(make())


def test_files_and_the_todo_list_are_shown_and_files_saved(
    deployed: Callsheet, booked: Booked, database_url: str, tmp_path: Path
) -> None:
    made(tmp_path / "data", database_url, booked)
    shown = deployed("sessions", "show", "recent", "--user", "ann")
    assert "todo list, active\nReport\n[>] look\n[ ] write\n" in shown.out
    into = tmp_path / "saved"
    ran = deployed("sessions", "files", "recent", "--user", "ann", "--save", str(into))
    assert ran.status == 0
    assert "out/sum.csv" in ran.out
    assert (into / "out" / "sum.csv").read_bytes() == b"a,b\n"
    (older,) = (into / "out").glob("sum-*.csv")
    assert older.read_bytes() == b"a\n"
    again = deployed("sessions", "files", "recent", "--user", "ann", "--save", str(into))
    assert again.status == 1
    assert "is there already" in again.err
    assert deployed("sessions", "files", str(booked.session_id)).status == 1
