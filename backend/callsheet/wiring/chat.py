"""Starts turns: the use case behind the AG-UI endpoint and `callsheet chat`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any
from uuid import UUID

from callsheet.admission.admitted import AdmissionRequest, Ticket
from callsheet.admission.waiting import AsksAgain
from callsheet.agui.client_tools import client_tools
from callsheet.agui.context import context_text
from callsheet.agui.run_input import RunInput
from callsheet.auth.principal import Principal
from callsheet.auth.store import remember_user
from callsheet.kit.errors import BadInput
from callsheet.runs.started import StartedRun
from callsheet.stream.replay import follow
from callsheet.tools.client_tool import ClientTool
from callsheet.tools.registry import ToolRegistry
from callsheet.turn.request import TurnRequest
from callsheet.wiring.answering import Answering
from callsheet.wiring.core import Core
from callsheet.wiring.edits import Edits
from callsheet.wiring.run_work import RunWork
from callsheet.wiring.starting import admitted, let_in, let_it_begin
from callsheet.wiring.stored_journal import StoredJournal
from callsheet.wiring.tools import taken_names
from callsheet.wiring.views import look_on
from callsheet.workflows.live import LiveWorkflows
from callsheet.workflows.workflow import Workflow


class ChatService:
    """Admits a run, hands it to the jobs, and gives a view of it."""

    def __init__(
        self,
        core: Callable[[], Core],
        workflows: LiveWorkflows,
        default_workflow: str,
        tools: ToolRegistry,
    ) -> None:
        self._core = core
        self._workflows = workflows
        self._default_workflow = default_workflow
        self._registry = tools
        self._answering = Answering(core, workflows, self._tools, Edits(tools).check)
        self._known_users: set[UUID] = set()

    async def start(
        self, principal: Principal, workflow: str | None, request: RunInput, trace_id: str
    ) -> StartedRun:
        """Let the turn in and start it, or attach to the run of that id that this user has."""
        core = self._core()
        active = await self._active(workflow or self._default_workflow)
        tools = self._tools(active, request)
        wish = _admission(principal, active, request, trace_id)
        await self._remember_user(core, principal)
        if request.given:
            answering = await self._answering.start(wish, request)
            if answering is not None:
                return answering
            if not request.text:
                raise BadInput("messages holds no message of role user.", field="messages")
        try:
            return await self._begin(core, active, wish, request, tools)
        except AsksAgain as waiting:
            return await self._answering.ask_again(wish, request, waiting.run_id)

    async def _begin(
        self,
        core: Core,
        active: Workflow,
        wish: AdmissionRequest,
        request: RunInput,
        tools: tuple[ClientTool, ...],
    ) -> StartedRun:
        with core.jobs.place(wish.run_id) as here:
            wish = replace(wish, waits=not here)
            looking = self._workflows.look()  # while the run is let in
            try:
                ticket = await admitted(core, wish, lambda: core.gate.admit(wish))
            except BaseException:
                await looking
                raise
            begins = ticket.is_new and not ticket.waits
            with let_in(core, ticket):
                await looking
                active = self._workflows.latest(active)
                await core.revisions.keep(active)
                if begins:
                    entries = await follow(
                        ticket.run_id, core.broker, StoredJournal(core.database), is_new=True
                    )
                    turn = _turn(ticket, wish, request, core.currency, tools)
                    core.jobs.submit(turn.run_id, RunWork(core, active, turn))
                else:
                    entries = await look_on(core, ticket.run_id)
        if begins:
            await let_it_begin()
        return StartedRun(ticket.run_id, ticket.session_id, wish.trace_id, entries)

    def _tools(self, workflow: Workflow, request: RunInput) -> tuple[ClientTool, ...]:
        """The client's tools as the workflow takes them; see `client_tools` for what is raised."""
        offered = request.tools if workflow.takes_client_tools else ()
        return client_tools(offered, taken_names(self._registry))

    async def _active(self, name: str) -> Workflow:
        """The workflow, also where its folder has only just been made; raises NotFound."""
        if name not in self._workflows:
            await self._workflows.refresh()
        return self._workflows.get(name)

    async def _remember_user(self, core: Core, principal: Principal) -> None:
        """The user, where this process has not stored them yet."""
        if principal.user_id in self._known_users:
            return
        async with core.database.transaction() as tx:
            await remember_user(tx, principal)
        self._known_users.add(principal.user_id)


def _turn(
    ticket: Ticket,
    wish: AdmissionRequest,
    request: RunInput,
    currency: str,
    tools: tuple[ClientTool, ...],
) -> TurnRequest:
    return TurnRequest(
        run_id=ticket.run_id,
        session_id=ticket.session_id,
        user_id=wish.user_id,
        workflow=wish.workflow,
        message_id=ticket.message_id,
        message_text=wish.text,
        trace_id=wish.trace_id,
        parent_run_id=wish.parent_run_id,
        is_first=ticket.is_first,
        session_tokens=ticket.total_tokens,
        session_cost=ticket.total_cost,
        currency=currency,
        on_disconnect=request.on_disconnect,
        settings=ticket.settings,
        client_tools=tools,
        context=context_text(request.context),
    )


def _admission(
    principal: Principal, active: Workflow, request: RunInput, trace_id: str
) -> AdmissionRequest:
    metadata: dict[str, Any] = {"status": "final"}
    if request.sanitized:
        metadata["sanitized"] = True
    if request.raw_message_id != str(request.message_id):
        metadata["raw_id"] = request.raw_message_id
    beside = {
        "context": list(request.context),
        "tools": list(request.tools),
        "state": request.state,
        "forwardedProps": request.forwarded_props,
        "parentRunId": request.raw_parent_run_id,
        "onDisconnect": request.on_disconnect,
    }
    return AdmissionRequest(
        user_id=principal.user_id,
        session_id=request.session_id,
        raw_thread_id=request.raw_thread_id,
        run_id=request.run_id,
        raw_run_id=request.raw_run_id,
        message_id=request.message_id,
        text=request.text,
        workflow=active.name,
        protocol=request.protocol,
        trace_id=trace_id,
        parent_run_id=request.parent_run_id,
        message_metadata=metadata,
        input={key: value for key, value in beside.items() if value},
        when_waiting=active.when_waiting,
        when_busy=active.when_busy,
        asks_for_budget=active.on_spent_budget == "ask",
    )
