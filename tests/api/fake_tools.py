"""Three tools: one that is allowed, one that cannot be used now, one that no agent has."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from callsheet.auth.principal import Principal
from callsheet.kit.errors import NotFound
from callsheet.tools.facts import ToolFacts
from callsheet.tools.listed import ListedTool
from tests.api.fake_records import FakeSessions

PARAMETERS = {"type": "object", "properties": {"expression": {"type": "string"}}}
CALCULATOR = ListedTool(
    ToolFacts(
        name="calculator",
        description="For the model.",
        parameters=PARAMETERS,
        owner="callsheet",
        origin="builtin",
        group="compute",
        label={"en": "Calculator", "zh": "计算器"},
        summary="Computes.",
        idempotent=True,
    ),
    "allow",
    None,
)
MAIL = ListedTool(
    ToolFacts(
        name="mail",
        description="Mail.",
        parameters={"type": "object", "properties": {}},
        owner="acme-tools",
        origin="plugin",
        side_effect="A mail is sent.",
        requires_approval=True,
    ),
    "ask",
    "no server",
)
SPARE = ListedTool(
    ToolFacts(name="spare", description="Spare.", parameters={}, owner="x", origin="mcp"),
    None,
    None,
)


class FakeTools:
    """The agents of `chat` have the calculator alone."""

    def __init__(self, sessions: FakeSessions) -> None:
        self._sessions = sessions

    def known(self) -> Sequence[ListedTool]:
        """As the port says."""
        return (CALCULATOR, MAIL, SPARE)

    async def all(self) -> Sequence[ListedTool]:
        """As the port says."""
        return (CALCULATOR, MAIL, SPARE)

    async def of_session(
        self, principal: Principal, session_id: UUID, workflow: str | None
    ) -> tuple[str, Sequence[ListedTool]]:
        """As the port says."""
        await self._sessions.get(principal, session_id)
        if workflow not in (None, "chat"):
            raise NotFound(f"There is no workflow {workflow!r}.", code="unknown_workflow")
        return "chat", (CALCULATOR,)
