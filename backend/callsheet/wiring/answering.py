"""Goes on with a run that waits, when it is answered."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, Protocol
from uuid import UUID

from callsheet.admission.admitted import AdmissionRequest
from callsheet.agui.run_input import RunInput
from callsheet.db.transaction import Tx
from callsheet.events.interrupt import InterruptAnswered
from callsheet.interrupts.answer import Answer
from callsheet.interrupts.interrupt import InterruptRecord
from callsheet.interrupts.judge import Accepted, Given, Repeated, judge
from callsheet.interrupts.store import answer, close, of_session
from callsheet.kit.errors import BadInput, Conflict, NotFound
from callsheet.runs.run import RunRecord, RunStatus
from callsheet.runs.started import StartedRun
from callsheet.runs.store import find_run
from callsheet.runs.waiting_store import end_waiting
from callsheet.sessions.message_store import stored_as
from callsheet.turn.record import Past
from callsheet.wiring.core import Core
from callsheet.wiring.going_on import Wish, go_on
from callsheet.wiring.heard import heard
from callsheet.wiring.views import look_on
from callsheet.workflows.live import LiveWorkflows
from callsheet.workflows.workflow import Workflow


class CheckTools(Protocol):
    """Raises where a workflow cannot take the tools of the request."""

    def __call__(self, workflow: Workflow, request: RunInput) -> object: ...


class CheckEdits(Protocol):
    """Raises BadInput where a person has changed the arguments of a tool to what it refuses."""

    def __call__(self, known: Sequence[InterruptRecord], given: Given) -> object: ...


_WAITS: Final[Collection[RunStatus]] = frozenset({"waiting_input"})


@dataclass(frozen=True, slots=True)
class _Known:
    """What the database says of a request's answers; `is_new`: its message is not stored yet;
    `run`: it was let in before.
    """

    interrupts: Sequence[InterruptRecord]
    given: Given
    is_new: bool
    run: RunRecord | None


class Answering:
    """Judges answers before anything is streamed, and begins the run that goes on with them."""

    def __init__(
        self,
        core: Callable[[], Core],
        workflows: LiveWorkflows,
        check_tools: CheckTools,
        check_edits: CheckEdits,
    ) -> None:
        self._check_edits = check_edits
        self._core = core
        self._workflows = workflows
        self._check_tools = check_tools

    async def start(self, wish: AdmissionRequest, request: RunInput) -> StartedRun | None:
        """The run that goes on, or went on, with what the request answers.

        None where it answers nothing: tool results that no run waits for are not ours to take; and
        where a run is dropped for a new message, which is then asked as any other.

        Raises:
            BadInput, Conflict: see `judge`; nothing was done.
            Refused, Unavailable, TurnFailed: see `go_on`.
        """
        suits = partial(self._check_tools, request=request)
        known = await self._look(wish, request)
        if known.run is not None:
            return await self._attach(known.run.id, wish)
        if not known.given:
            return None
        judged = judge(known.interrupts, known.given, self._core().clock.now())
        if isinstance(judged, Repeated):
            return await self._attach(judged.run_id, wish)
        if judged.all_cancelled and known.is_new:
            return None
        self._check_edits(known.interrupts, known.given)
        try:
            return await self._go_on(wish, judged, known.interrupts, suits)
        except Conflict:
            # Somebody else answered at the same time, or it was stopped: what holds now is told.
            known = await self._look(wish, request)
            judged = judge(known.interrupts, known.given, self._core().clock.now())
            if isinstance(judged, Repeated):
                return await self._attach(judged.run_id, wish)
            raise

    async def ask_again(
        self, wish: AdmissionRequest, request: RunInput, run_id: UUID
    ) -> StartedRun:
        """The run goes on without answers, so that it asks for them; the message is kept."""
        core = self._core()

        async def also(tx: Tx) -> None:
            await core.gate.add_message(tx, wish)
            await close(tx, run_id)
            await end_waiting(tx, run_id, "succeeded")

        before = await self._waiting(core, run_id, wish)
        again = _after(wish, before)
        suits = partial(self._check_tools, request=request)
        going_on = Wish(before, again, _WAITS, also, suits=suits)
        started = await go_on(core, self._workflows, going_on)
        return replace(started, raw_parent_run_id=before.raw_run_id)

    async def _look(self, wish: AdmissionRequest, request: RunInput) -> _Known:
        given = request.given
        async with self._core().database.read() as tx:
            found = await of_session(tx, wish.session_id, given.ids(), given.calls())
            known = await stored_as(tx, wish.session_id, wish.message_id, wish.raw_message_id)
            is_new = request.is_said_last and known is None
            run = await find_run(tx, wish.run_id, wish.user_id)
        if run is not None and run.session_id != wish.session_id:
            raise NotFound("There is no such run in this session.")
        mine = [record for record in found if record.user_id == wish.user_id]
        calls = {record.tool_call_id for record in mine if record.reason == "client_tool"}
        results = tuple(each for each in given.results if each.tool_call_id in calls)
        return _Known(mine, Given(given.answers, results), is_new, run)

    async def _attach(self, run_id: UUID, wish: AdmissionRequest) -> StartedRun:
        core = self._core()
        async with core.database.read() as tx:
            run = await find_run(tx, run_id, wish.user_id)
            raw: str | None = None
            if run is not None and run.parent_run_id is not None:
                parent = await find_run(tx, run.parent_run_id, wish.user_id)
                raw = None if parent is None else parent.raw_run_id
        entries = await look_on(core, run_id)
        return StartedRun(run_id, wish.session_id, wish.trace_id, entries, raw)

    async def _go_on(
        self,
        wish: AdmissionRequest,
        accepted: Accepted,
        known: Sequence[InterruptRecord],
        suits: Callable[[Workflow], object],
    ) -> StartedRun:
        core = self._core()
        before = await self._waiting(core, accepted.run_id, wish)

        async def also(tx: Tx) -> None:
            count = await answer(tx, accepted.answers, wish.user_id, wish.run_id)
            if count != len(accepted.answers):
                raise Conflict("It was answered, or closed, meanwhile.", code="interrupt_closed")
            await end_waiting(tx, before.id, "succeeded")

        said = _said(accepted.answers, known)

        def with_answers(past: Past) -> Past:
            return replace(past, answers=said)

        about_money = any(each.reason == "budget" for each in said)
        asked = replace(_after(wish, before), asks_for_budget=about_money or wish.asks_for_budget)
        going_on = Wish(before, asked, _WAITS, also, with_answers, suits)
        started = await go_on(core, self._workflows, going_on)
        return replace(started, raw_parent_run_id=before.raw_run_id)

    @staticmethod
    async def _waiting(core: Core, run_id: UUID, wish: AdmissionRequest) -> RunRecord:
        async with core.database.read() as tx:
            before = await find_run(tx, run_id, wish.user_id)
        if before is None or before.user_message_id is None:
            raise BadInput(
                "What the run was asked is not there any more.",
                field="resume",
                code="interrupt_unknown",
            )
        return before


def _after(wish: AdmissionRequest, before: RunRecord) -> AdmissionRequest:
    """The same wish, as one to go on from `before`: of its workflow, and with it as parent."""
    beside = {**wish.input}
    beside.setdefault("parentRunId", before.raw_run_id)
    return replace(
        wish,
        workflow=before.workflow,
        parent_run_id=wish.parent_run_id or before.id,
        input=beside,
    )


def _said(
    answers: Mapping[UUID, Answer], known: Sequence[InterruptRecord]
) -> tuple[InterruptAnswered, ...]:
    """The answers as the journal of the run that goes on has them."""
    return tuple(
        heard(
            replace(
                record,
                answer_status=answers[record.id].status,
                payload=answers[record.id].payload,
            )
        )
        for record in known
        if record.id in answers
    )
