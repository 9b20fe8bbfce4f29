"""One tool call by hand, on the path that an agent's calls take."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal
from uuid import UUID

from callsheet.auth.principal import Principal
from callsheet.cli.console import ERR
from callsheet.cli.interrupts import Interrupts
from callsheet.cli.person import Person
from callsheet.cli.session_reference import find_named
from callsheet.cli.terminal_tell import TerminalTell
from callsheet.kit.deadline import Deadline
from callsheet.kit.errors import Forbidden, NotFound, Unavailable
from callsheet.kit.ids import new_id
from callsheet.kit.json import encode
from callsheet.kit.pages import PageRequest
from callsheet.kit.yaml_words import closest
from callsheet.runs.store import list_runs
from callsheet.settings.settings import Settings
from callsheet.tools.arguments import digest_of
from callsheet.tools.context import ToolContext
from callsheet.tools.invoke import ToolInvoker, ToolOutcome
from callsheet.tools.pause import NeedsPerson
from callsheet.tools.registry import ToolRegistry
from callsheet.tools.sandbox.python_executor import PythonExecutor
from callsheet.wiring.application import Application

# A call's own limit is in tools.yaml; this is a turn's, which there is none of here.
_LONGEST_S: Final = 3600.0
_CONNECTS_S: Final = 300.0
_AGENT: Final = "callsheet tools call"
_NOT_ALLOWED: Final = "The call was not allowed; --yes allows it without asking."
_NOT_SAID: Final = "The tool asks somebody, and nobody has answered."


@dataclass(frozen=True, slots=True)
class ToolCall:
    """`arguments` is the text that a model would write; `allowed`: nobody is asked first."""

    name: str
    arguments: str
    principal: Principal
    session: str | None
    allowed: bool

    async def run(self, settings: Settings) -> ToolOutcome:
        """Make the call in an application of its own, which works on no runs.

        Raises:
            NotFound: no such tool, no such session.
            Forbidden: the policy denies it.
            Unavailable: the tool cannot be used now.
        """
        with Interrupts() as interrupts:
            async with Application(settings, kind="api") as application:
                registry = application.tools.registry
                if not application.mcp.may_have(self.name):
                    _find(registry, self.name)
                await application.ready()
                await application.mcp.ready([self.name], Deadline.after(_CONNECTS_S))
                _find(registry, self.name)
                if self.name == PythonExecutor.name:
                    state = await application.sandbox.look.look()
                    if state.ready and state.detail:  # nothing here would build it
                        raise Unavailable(
                            f"{self.name} cannot be used now: its image is missing. "
                            "`callsheet sandbox build` makes it.",
                            service="tool",
                        )
                _check_usable(registry, self.name)
                context = await self._context(application)
                person = Person(interrupts)
                return await self._call(registry, application.tools.invoker, context, person)

    async def _call(
        self, registry: ToolRegistry, invoker: ToolInvoker, context: ToolContext, person: Person
    ) -> ToolOutcome:
        own = (self.name,)
        if invoker.verdict(self.name).kind == "deny":
            raise Forbidden(f"config/tools.yaml denies {self.name}.")
        ask = invoker.ask_first(self.name, self.arguments, allowed=own)
        if ask is not None and not self.allowed:
            effect = registry.facts(self.name).side_effect
            if not await person.allows(ask, effect):
                return self._outcome("rejected", _NOT_ALLOWED)
        try:
            with ERR.status(f"{self.name} is at work"):
                return await invoker.invoke(
                    self.name, self.arguments, context, allowed=own, is_approved=True
                )
        except NeedsPerson as needs:
            # What is said at the terminal is the result, as a person's answer is in a run.
            said = await person.answers(needs.ask)
        if said is None:
            return self._outcome("rejected", _NOT_SAID)
        return self._outcome("ok", encode(said).decode())

    def _outcome(self, status: Literal["ok", "rejected"], content: str) -> ToolOutcome:
        return ToolOutcome(status, content, 0, digest_of(self.arguments))

    async def _context(self, application: Application) -> ToolContext:
        session_id, run_id = await self._place(application)
        return ToolContext(
            user_id=self.principal.user_id,
            session_id=session_id,
            run_id=run_id,
            tool_call_id=f"call_{new_id().hex}",
            agent=_AGENT,
            deadline=Deadline.after(_LONGEST_S),
            clock=application.adapters.clock,
            tell=TerminalTell(ERR),
        )

    async def _place(self, application: Application) -> tuple[UUID, UUID]:
        """The session and its last run; new ids, which stand for nothing, where none is named."""
        if self.session is None:
            return new_id(), new_id()
        async with application.core().database.read() as tx:
            found = await find_named(tx, self.principal, self.session)
            page = await list_runs(tx, found.id, self.principal.user_id, PageRequest(limit=1))
        return found.id, page.items[0].id if page.items else new_id()


def _find(registry: ToolRegistry, name: str) -> None:
    if registry.find(name) is None:
        near = closest(name, registry.names())
        hint = f" Did you mean {near!r}?" if near else " `callsheet tools list` shows all."
        raise NotFound(f"There is no tool {name!r}.{hint}")


def _check_usable(registry: ToolRegistry, name: str) -> None:
    why = registry.unavailable(name)
    if why is not None:
        raise Unavailable(f"{name} cannot be used now: {why}", service="tool")
