"""Conversations without a browser."""

from __future__ import annotations

import pytest

from callsheet.auth.principal import principal_named
from callsheet.db.options import DatabaseOptions
from callsheet.db.transaction import Database
from tests.cli.conftest import Callsheet
from tests.fixtures.booked import Booked, book_turns, change
from tests.fixtures.database import run_apart

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
