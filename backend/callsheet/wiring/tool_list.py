"""Which tools there are, for people."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final
from uuid import UUID

from callsheet.auth.principal import Principal
from callsheet.db.transaction import Database
from callsheet.kit.deadline import Deadline
from callsheet.kit.errors import NotFound
from callsheet.kit.pages import PageRequest
from callsheet.runs.store import list_runs
from callsheet.sessions.store import find_session
from callsheet.tools.listed import ListedTool
from callsheet.tools.more_tools import MoreTools
from callsheet.tools.named import named
from callsheet.tools.policy import Policy
from callsheet.tools.registry import ToolRegistry
from callsheet.workflows.live import LiveWorkflows
from callsheet.workflows.tool_rule import ToolPolicy, ToolRule, listed_names
from callsheet.workflows.workflow import Workflow

# For servers that are reached for the first time; what has not come by then is not in the list.
_WAITS_S: Final = 10.0
# Plans are a matter of the session, not of the tool.
_WORDS: Final[Mapping[str, ToolPolicy]] = {
    "run": "allow",
    "ask": "ask",
    "plan": "ask",
    "deny": "deny",
}


def listed_tools(
    registry: ToolRegistry, rules: Mapping[str, ToolRule], names: Collection[str] | None = None
) -> Sequence[ListedTool]:
    """Those of these names that there are, None: all, by name."""
    wanted = registry.names() if names is None else registry.names() & set(names)
    listed = listed_names(wanted, rules.values())
    policy = Policy(rules.values())
    found: list[ListedTool] = []
    for name in sorted(wanted):
        facts = registry.facts(name)
        # The white list of an MCP server's tools is in mcp.yaml.
        is_listed = name in listed or facts.origin == "mcp"
        own = _WORDS[policy.verdict(facts).kind] if is_listed else None
        found.append(ListedTool(facts, own, registry.unavailable(name)))
    return found


class ToolListService:
    """The tools of one process."""

    def __init__(
        self,
        registry: ToolRegistry,
        rules: Mapping[str, ToolRule],
        workflows: LiveWorkflows,
        default: str,
        database: Callable[[], Database],
        more: MoreTools,
    ) -> None:
        """`default` is the workflow of a session in which nothing was asked yet; `more` brings what
        is not there before somebody asks.
        """
        self._more = more
        self._registry = registry
        self._rules = rules
        self._workflows = workflows
        self._default = default
        self._database = database

    def known(self) -> Sequence[ListedTool]:
        """Those that are there now."""
        return listed_tools(self._registry, self._rules)

    async def all(self) -> Sequence[ListedTool]:
        """Every tool that there is."""
        await self._more.ready_all(Deadline.after(_WAITS_S))
        return self.known()

    async def of_session(
        self, principal: Principal, session_id: UUID, workflow: str | None
    ) -> tuple[str, Sequence[ListedTool]]:
        """The workflow that a message in the session goes to, and what its agents may use.

        It is the one that is named, else that of the last run, else the default one.

        Raises:
            NotFound: no such session of this user; no such workflow.
        """
        async with self._database().read() as tx:
            if await find_session(tx, session_id, principal.user_id) is None:
                raise NotFound("There is no such session.")
            last = await list_runs(tx, session_id, principal.user_id, PageRequest(limit=1))
        await self._workflows.refresh()
        run = last.items[0].workflow if last.items else self._default
        name = workflow or (run if run in self._workflows else self._default)
        found = self._workflows.get(name)
        wanted = tools_of(found)
        await self._more.ready(wanted, Deadline.after(_WAITS_S))
        tools = listed_tools(self._registry, self._rules, named(wanted, self._registry))
        return name, [tool for tool in tools if tool.policy not in (None, "deny")]


def tools_of(workflow: Workflow) -> frozenset[str]:
    """The names of all tools that some agent of it may use."""
    return frozenset(
        tool for stage in workflow.stages for agent in stage.agents.values() for tool in agent.tools
    )
