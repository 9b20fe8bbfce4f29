"""Where an agent's tool calls go: to a coworker or to a tool."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from callsheet.crew.abilities import Abilities
from callsheet.crew.asker import Asker
from callsheet.crew.booked import Booked
from callsheet.crew.call_tell import CallTell
from callsheet.crew.delegation import Delegation
from callsheet.crew.frame import Frame
from callsheet.crew.offer import Offer
from callsheet.crew.tool_models import CallModels
from callsheet.events.call import RequestedTool
from callsheet.events.interrupt import Interrupt
from callsheet.kit.deadline import Deadline
from callsheet.kit.ids import new_id
from callsheet.tools.context import ToolContext
from callsheet.tools.invoke import ToolOutcome
from callsheet.tools.named import named
from callsheet.tools.pause import Ask
from callsheet.turn.ports import Emit, StageWork
from callsheet.workflows.tools_file import REQUEST_PLAN

_PLAN_FIRST: Final = (
    "# Plan first\nThe user wants to see a plan before anything is changed. Before you use "
    f"{{names}}, call {REQUEST_PLAN} with what you are going to do. If they approve it, do what "
    "the plan in the result says. If they do not, change it as they say and ask again, or tell "
    "them what you would need. What only reads or computes needs no plan."
)


class ToolDesk:
    """The tools of one agent: those of its white list that there are, and its coworkers."""

    def __init__(
        self,
        frame: Frame,
        work: StageWork,
        abilities: Abilities,
        delegation: Delegation,
        asker: Asker,
        emit: Emit,
    ) -> None:
        """`asker` is for what the tools ask models themselves."""
        self._asker = asker
        self._models: dict[str, CallModels] = {}
        self._emit = emit
        self._record = work.record
        self._frame = frame
        self._request = work.request
        self._answer_within_s = work.workflow.answer_within_s
        self._abilities = abilities
        self._delegation = delegation
        self._plans = work.request.settings.mode == "plan"
        self._allowed = [
            name
            for name in named(frame.agent.tools, abilities.tools)
            if abilities.invoker.offers(name)
        ]
        self._changing = [name for name in self._allowed if self._plans and self._changes(name)]
        if self._changing and self._may_plan():
            self._allowed.append(REQUEST_PLAN)
        offered = work.request.client_tools if frame.agent.client_tools else ()
        self._clients = {tool.name: tool for tool in offered if not self._is_ours(tool.name)}

    def offer(self) -> Offer:
        """The tools as the model sees them, and what they want every agent to know who has them."""
        tools = self._abilities.tools
        told = [tools.facts(name).instructions for name in self._allowed]
        if self._changing:
            told.append(_PLAN_FIRST.format(names=", ".join(self._changing)))
        return Offer(
            schemas=(
                *tools.schemas(self._allowed),
                *self._delegation.schemas(),
                *(tool.schema() for tool in self._clients.values()),
            ),
            instructions=tuple(dict.fromkeys(each for each in told if each)),
        )

    @property
    def _needs_plan(self) -> bool:
        return self._plans and not self._record.has_plan

    def _changes(self, name: str) -> bool:
        """Whether the tool has to wait for a plan."""
        return self._abilities.invoker.verdict(name, needs_plan=True).kind == "plan"

    def _may_plan(self) -> bool:
        """Whether it still lacks the tool that plan mode asks of it, and can have it."""
        return REQUEST_PLAN not in self._allowed and self._abilities.invoker.offers(REQUEST_PLAN)

    def _is_ours(self, name: str) -> bool:
        """Whether a tool here has the name: no client may put its own in the place of that."""
        return self._abilities.tools.find(name) is not None or self._delegation.takes(name)

    def ask_first(self, call: RequestedTool) -> Ask | None:
        """What has to be known before the call is made; None where it may be made."""
        if self._delegation.takes(call.name):
            return None
        client = self._clients.get(call.name)
        if client is not None:
            return client.ask()
        return self._abilities.invoker.ask_first(
            call.name, call.arguments, allowed=self._allowed, needs_plan=self._needs_plan
        )

    def interrupt(self, call: RequestedTool, ask: Ask) -> Interrupt:
        """The question as the run ends with it."""
        within_s = self._abilities.invoker.options_of(call.name).answer_within_s
        wait = timedelta(seconds=within_s or self._answer_within_s)
        return Interrupt(
            interrupt_id=str(new_id()),
            reason=ask.reason,
            message=ask.message,
            expires_at=self._abilities.clock.now() + wait,
            tool_call_id=call.tool_call_id,
            tool=call.name,
            response_schema=None if ask.response_schema is None else dict(ask.response_schema),
            detail=dict(ask.detail),
        )

    def repeats(self, name: str) -> bool:
        """Whether a call of it may be made once more when nobody knows how the first one went.

        So it is with coworkers, who go on from what they had done.
        """
        if self._delegation.takes(name):
            return True
        tool = self._abilities.tools.find(name)
        return tool is None or name not in self._allowed or getattr(tool, "idempotent", False)

    def booked(self, tool_call_id: str) -> Booked | None:
        """What the call has spent on models of its own; None where it asked none."""
        models = self._models.get(tool_call_id)
        return None if models is None else models.booked

    async def call(
        self, call: RequestedTool, deadline: Deadline, *, is_approved: bool = False
    ) -> ToolOutcome:
        """Have one call done; every failure but QuotaSpent is an outcome, a question leaves it.

        `is_approved`: a person has allowed this very call. That a tool with side effects begins is
        committed before it does, which a process that was taken for dead cannot have done.
        """
        if self._delegation.takes(call.name):
            return await self._delegation.call(call, deadline)
        if is_approved or not self.repeats(call.name):
            await self._asker.stored()
        limit = deadline.within(self._abilities.invoker.options_of(call.name).timeout_s)
        models = CallModels(call.name, self._frame, self._asker, self._abilities.models, limit)
        self._models[call.tool_call_id] = models
        tell = CallTell(call.tool_call_id, self._emit, self._record)
        context = ToolContext(
            user_id=self._request.user_id,
            session_id=self._request.session_id,
            run_id=self._request.run_id,
            tool_call_id=call.tool_call_id,
            agent=self._frame.agent.name,
            deadline=limit,
            clock=self._abilities.clock,
            tell=tell,
            models=models,
        )
        try:
            return await self._abilities.invoker.invoke(
                call.name,
                call.arguments,
                context,
                allowed=self._allowed,
                needs_plan=self._needs_plan,
                is_approved=is_approved,
            )
        finally:
            tell.close()
            models.close()
