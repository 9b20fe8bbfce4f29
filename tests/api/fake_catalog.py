"""One workflow, one model, and a health that a test can spoil."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from callsheet.kit.errors import NotFound, Problem
from callsheet.kit.readiness import Part
from callsheet.ledger.report.billing import ModelBilling
from callsheet.llm.model import Model
from callsheet.workflows.workflow import AgentSpec, Stage, TaskSpec, Workflow

ROUTER = AgentSpec(
    name="router",
    role="Router",
    goal="g",
    backstory="b",
    default_model="qwen3.5-flash",
    tools=("calculator",),
)
CHAT = Workflow(
    name="chat",
    revision="r1",
    label={"en": "Chat"},
    description="The default.",
    stages=(
        Stage(
            name="intent",
            agents={"router": ROUTER},
            tasks=(TaskSpec(name="t", description="d", expected_output="e", agent="router"),),
            visible=True,
        ),
    ),
)
MODEL = Model(
    model_code="qwen3.5-flash",
    factory="qwen",
    upstream_model="upstream-name",
    base_url="https://address.example/v1",
    api_key="sk-secret-of-the-vendor",
)


class FakeWorkflows:
    """One workflow, and a mistake in an edit of it."""

    default = "chat"

    async def refresh(self) -> None:
        """As the port says."""

    def names(self) -> Sequence[str]:
        """As the port says."""
        return ("chat",)

    def get(self, name: str) -> Workflow:
        """As the port says."""
        if name != "chat":
            raise NotFound(f"There is no workflow {name!r}.")
        return CHAT

    def problems(self) -> Sequence[Problem]:
        """As the port says."""
        return (Problem("crews/chat/agents.yaml", 3, 5, "unknown key 'rol'", "role"),)


class FakeModels:
    """One model."""

    def all(self) -> Mapping[str, Model]:
        """As the port says."""
        return {MODEL.model_code: MODEL}


class FakeHealth:
    """Ready unless a test says what is missing."""

    def __init__(self) -> None:
        self.warming = False
        self.verified = True
        self.lacks_sandbox = False

    async def parts(self) -> Sequence[Part]:
        """As the port says."""
        return (
            Part("database", ready=True),
            Part("crews", ready=not self.warming, detail="loading" if self.warming else ""),
            Part("sandbox", ready=not self.lacks_sandbox, detail="no engine", needed=False),
        )

    def billing(self) -> Sequence[ModelBilling]:
        """As the port says."""
        return (ModelBilling("qwen", MODEL.model_code, priced=True, verified=self.verified),)
