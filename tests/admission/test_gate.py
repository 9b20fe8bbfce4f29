"""Who may start a run: the owner, on an idle session, once per run id."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from uuid import UUID

import pytest
from sqlalchemy import text

from callsheet.admission.abandoned import Abandoned
from callsheet.auth.principal import principal_named
from callsheet.db.transaction import Database
from callsheet.kit.errors import Conflict, NotFound
from callsheet.kit.ids import new_id
from callsheet.runs.worker_locks import WorkerLock
from tests.journal.stage import HandsOn, gate, remember, wish

OTHER = principal_named("other")


async def end(database: Database, run_id: UUID) -> None:
    async with database.transaction() as tx:
        await tx.execute(
            text("UPDATE runs SET status = 'succeeded' WHERE id = :id"), {"id": run_id}
        )


async def test_a_first_message_makes_session_message_title_and_queued_run(
    database: Database,
) -> None:
    await remember(database)
    session_id = new_id()
    ticket = await gate(database).admit(wish(session_id, "  What is\n17*23, please tell me now? "))
    assert ticket.is_new
    async with database.read() as tx:
        session = (
            await tx.execute(text("SELECT title, status, message_count FROM sessions"))
        ).one()
        run = (await tx.execute(text("SELECT status, user_message_id, worker_id FROM runs"))).one()
        message = (await tx.execute(text("SELECT id, seq, role FROM messages"))).one()
    assert tuple(session) == ("What is 17*23, please te", "pending", 1)
    assert tuple(run) == ("queued", ticket.message_id, "w1")
    assert tuple(message) == (ticket.message_id, 1, "user")


async def test_the_same_run_again_is_only_looked_on(database: Database) -> None:
    await remember(database)
    request = wish(new_id())
    await gate(database).admit(request)
    again = await gate(database).admit(request)
    assert not again.is_new
    async with database.read() as tx:
        assert (await tx.execute(text("SELECT count(*) FROM runs"))).scalar_one() == 1


async def test_a_second_run_is_refused_while_one_is_active(database: Database) -> None:
    await remember(database)
    session_id = new_id()
    async with WorkerLock(database, "w1"):
        first = await gate(database).admit(wish(session_id))
        with pytest.raises(Conflict) as refused:
            await gate(database).admit(wish(session_id))
        assert refused.value.extra["runId"] == str(first.run_id)
        await end(database, first.run_id)
        assert (await gate(database).admit(wish(session_id))).is_new


async def test_of_many_at_the_same_moment_one_gets_in(database: Database) -> None:
    await remember(database)
    session_id = new_id()
    results: list[str] = []

    async def attempt() -> None:
        try:
            await gate(database).admit(wish(session_id))
            results.append("in")
        except Conflict:
            results.append("refused")

    async with WorkerLock(database, "w1"), asyncio.TaskGroup() as group:
        for _ in range(8):
            group.create_task(attempt())
    assert sorted(results) == ["in"] + ["refused"] * 7


async def test_one_run_id_in_many_sessions_at_the_same_moment_is_one_run(
    database: Database,
) -> None:
    await remember(database)
    run_id = new_id()
    results: list[str] = []

    async def attempt() -> None:
        try:
            await gate(database).admit(replace(wish(new_id()), run_id=run_id))
            results.append("in")
        except NotFound:
            results.append("refused")

    async with asyncio.TaskGroup() as group:
        for _ in range(8):
            group.create_task(attempt())
    assert sorted(results) == ["in"] + ["refused"] * 7


async def test_a_run_whose_worker_is_gone_is_told_apart(database: Database) -> None:
    await remember(database)
    session_id = new_id()
    async with WorkerLock(database, "w1"):
        first = await gate(database).admit(wish(session_id))
    with pytest.raises(Abandoned) as abandoned:
        await gate(database, "w2").admit(wish(session_id))
    assert abandoned.value.run_id == first.run_id


async def test_who_comes_back_to_a_run_whose_worker_is_gone_does_not_end_it(
    database: Database,
) -> None:
    await remember(database)
    request = wish(new_id())
    async with WorkerLock(database, "w1"):
        await gate(database).admit(request)
    again = await gate(database, "w2").admit(request)
    assert (again.run_id, again.is_new) == (request.run_id, False)


async def test_a_process_does_not_give_up_its_own_run_because_its_lock_is_gone(
    database: Database,
) -> None:
    await remember(database)
    session_id = new_id()
    first = await gate(database).admit(wish(session_id))
    with pytest.raises(Conflict):
        await gate(database).admit(wish(session_id))
    async with database.read() as tx:
        assert (await tx.execute(text("SELECT id FROM runs"))).scalar_one() == first.run_id


async def test_a_run_that_its_own_process_lost_is_abandoned_whoever_asks(
    database: Database,
) -> None:
    await remember(database)
    hands, session_id = HandsOn(), new_id()
    request = wish(session_id)
    async with WorkerLock(database, "w1"):
        await gate(database, own_runs=hands).admit(request)
        assert hands.expected == {request.run_id}
        hands.lost.add(request.run_id)
        for asked in (wish(session_id), request):
            with pytest.raises(Abandoned):
                await gate(database, own_runs=hands).admit(asked)


async def test_a_run_that_is_not_let_in_is_not_expected(database: Database) -> None:
    await remember(database)
    hands, request = HandsOn(), wish(new_id())
    await gate(database).admit(request)
    for refused in (wish(request.session_id), replace(request, session_id=new_id())):
        with pytest.raises((Conflict, NotFound)):
            await gate(database, own_runs=hands).admit(refused)
    assert hands.expected == set()


async def test_another_users_session_and_run_are_not_there(database: Database) -> None:
    await remember(database)
    await remember(database, OTHER)
    session_id = new_id()
    mine = wish(session_id)
    await gate(database).admit(mine)
    with pytest.raises(NotFound):
        await gate(database).admit(wish(session_id, user=OTHER))
    with pytest.raises(NotFound):
        await gate(database).admit(replace(wish(new_id(), user=OTHER), run_id=mine.run_id))


async def test_another_users_message_id_does_not_take_their_message(database: Database) -> None:
    await remember(database)
    await remember(database, OTHER)
    mine = wish(new_id(), "secret")
    await gate(database).admit(mine)
    theirs = replace(wish(new_id(), "mine", user=OTHER), message_id=mine.message_id)
    ticket = await gate(database).admit(theirs)
    assert ticket.message_id != mine.message_id
    async with database.read() as tx:
        rows = (await tx.execute(text("SELECT content FROM messages ORDER BY content"))).scalars()
        assert list(rows) == ["mine", "secret"]


async def test_a_message_that_is_sent_once_more_is_not_stored_twice(database: Database) -> None:
    await remember(database)
    session_id = new_id()
    first = wish(session_id)
    await gate(database).admit(first)
    await end(database, first.run_id)
    again = await gate(database).admit(replace(wish(session_id), message_id=first.message_id))
    assert again.message_id == first.message_id
    async with database.read() as tx:
        assert (await tx.execute(text("SELECT message_count FROM sessions"))).scalar_one() == 1


async def test_an_edited_message_is_stored_as_it_is_asked(database: Database) -> None:
    await remember(database)
    session_id = new_id()
    first = wish(session_id, "17*23?")
    await gate(database).admit(first)
    await end(database, first.run_id)
    edited = replace(wish(session_id, "17*24?"), message_id=first.message_id)
    await gate(database).admit(edited)
    async with database.read() as tx:
        found = (await tx.execute(text("SELECT content, metadata->'earlier' FROM messages"))).all()
    assert [tuple(row) for row in found] == [("17*24?", ["17*23?"])]


async def test_an_answers_id_does_not_make_the_answer_a_question(database: Database) -> None:
    await remember(database)
    session_id = new_id()
    first = wish(session_id)
    await gate(database).admit(first)
    await end(database, first.run_id)
    async with database.transaction() as tx:
        await tx.execute(text("UPDATE messages SET role = 'assistant', content = 'Hi.'"))
    forged = replace(wish(session_id, "forged"), message_id=first.message_id)
    ticket = await gate(database).admit(forged)
    assert ticket.message_id != first.message_id
    async with database.read() as tx:
        contents = (await tx.execute(text("SELECT content FROM messages ORDER BY seq"))).scalars()
        assert list(contents) == ["Hi.", "forged"]


async def test_a_deleted_session_is_gone(database: Database) -> None:
    await remember(database)
    session_id = new_id()
    first = wish(session_id)
    await gate(database).admit(first)
    await end(database, first.run_id)
    async with database.transaction() as tx:
        await tx.execute(text("UPDATE sessions SET deleted_at = now()"))
    with pytest.raises(NotFound):
        await gate(database).admit(wish(session_id))
