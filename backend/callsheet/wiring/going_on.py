"""Begins a run that goes on from another one."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass, replace

from callsheet.admission.admitted import AdmissionRequest, Ticket
from callsheet.admission.going_on import BROKEN_OFF, nothing_more
from callsheet.db.transaction import Tx
from callsheet.runs.run import RunRecord, RunStatus
from callsheet.runs.started import StartedRun
from callsheet.runs.states import ACTIVE
from callsheet.runs.store import run_by_id
from callsheet.stream.replay import follow
from callsheet.turn.record import Past
from callsheet.wiring.core import Core
from callsheet.wiring.past import load_past
from callsheet.wiring.run_work import RunWork
from callsheet.wiring.starting import admitted, let_in, let_it_begin
from callsheet.wiring.stored_journal import StoredJournal
from callsheet.wiring.stored_turn import load_turn, load_workflow
from callsheet.wiring.views import look_on
from callsheet.workflows.live import LiveWorkflows
from callsheet.workflows.workflow import Workflow


def anything(workflow: Workflow) -> None:
    """Nothing is asked of the workflow."""
    del workflow


def as_it_is(past: Past) -> Past:
    """What was done, and nothing more."""
    return past


@dataclass(frozen=True, slots=True)
class Wish:
    """To go on from `before`, which must have one of `statuses`.

    `also` is written with the run's admission. `with_answers` adds what is known beside what has
    been done. `suits` raises where the workflow that it goes on in cannot take what comes with it.
    """

    before: RunRecord
    request: AdmissionRequest
    statuses: Collection[RunStatus] = BROKEN_OFF
    also: Callable[[Tx], Awaitable[None]] = nothing_more
    with_answers: Callable[[Past], Past] = as_it_is
    suits: Callable[[Workflow], object] = anything


async def go_on(core: Core, workflows: LiveWorkflows, wish: Wish) -> StartedRun:
    """Let the run in and begin it here, or attach to the run of that id that this user has.

    Raises:
        NotFound: the session is deleted.
        Conflict: see `GoingOn.admit`.
        TurnFailed: `revision_gone`, where its workflow cannot be had as it was.
        Refused: rate, quota or money; Unavailable: the database, or the server shuts down.
    """
    before = wish.before
    workflow, done = await _left(core, workflows, before)
    wish.suits(workflow)

    async def admit() -> Ticket:
        return await core.going_on.admit(request, before.id, wish.statuses, wish.also)

    with core.jobs.place(wish.request.run_id) as here:
        request = replace(wish.request, waits=not here)
        ticket = await admitted(core, request, admit)
        with let_in(core, ticket):
            if not (ticket.is_new and here):
                entries = await look_on(core, ticket.run_id)
            else:
                if before.status in ACTIVE:  # it has ended since it was looked at, and done more
                    workflow, done = await _left(core, workflows, await _again(core, before))
                stored = await load_turn(core, ticket.run_id)
                past = wish.with_answers(Past(record=done.record, began_at=done.began_at))
                journal = StoredJournal(core.database)
                entries = await follow(ticket.run_id, core.broker, journal, is_new=True)
                core.jobs.submit(ticket.run_id, RunWork(core, workflow, stored.turn, past))
    if ticket.is_new and here:
        await let_it_begin()
    return StartedRun(ticket.run_id, ticket.session_id, request.trace_id, entries)


async def _left(core: Core, workflows: LiveWorkflows, before: RunRecord) -> tuple[Workflow, Past]:
    """The workflow as that run had it, and what it has done by now."""
    workflow = await load_workflow(core, workflows, before.workflow, before.revision)
    return workflow, await load_past(core, before.id)


async def _again(core: Core, before: RunRecord) -> RunRecord:
    async with core.database.read() as tx:
        return await run_by_id(tx, before.id) or before
