"""The tool by which an agent shows its plan to the user before it begins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, Final

from pydantic import BaseModel, Field, StringConstraints

from callsheet.tools.builtin.ports import BuiltinPorts
from callsheet.tools.context import ToolContext
from callsheet.tools.tool import Tool
from callsheet.workflows.tools_file import REQUEST_PLAN

MOST_STEPS: Final = 10

Step = Annotated[str, StringConstraints(min_length=1, max_length=500, strip_whitespace=True)]


class PlanArgs(BaseModel):
    """The plan."""

    title: str = Field(min_length=1, max_length=200, description="What is to be reached.")
    steps: list[Step] = Field(
        min_length=1,
        max_length=MOST_STEPS,
        description="One to ten steps in their order, each one sentence in the user's language.",
    )


class RequestPlanApproval:
    """A call of it always waits for the user; that it runs means that they approved.

    The plan may be another than the model's by then: what the call returns is the one that holds.
    """

    name: ClassVar[str] = REQUEST_PLAN
    description: ClassVar[str] = (
        "Show the user what you are going to do, step by step, and wait until they approve it. The "
        "user may change the plan; follow the plan in the result."
    )
    Args: type[BaseModel] = PlanArgs
    group: ClassVar[str] = "people"
    label: ClassVar[Mapping[str, str]] = {"en": "Plan", "zh": "计划"}
    summary: ClassVar[str] = "Shows the user a plan and waits for their approval."
    idempotent: ClassVar[bool] = True
    requires_approval: ClassVar[bool] = True

    async def run(self, args: PlanArgs, ctx: ToolContext) -> dict[str, Any]:
        """The plan that holds."""
        del ctx
        return {"approved": True, "plan": args.model_dump()}


def offer(ports: BuiltinPorts) -> Sequence[Tool]:
    """The tool of this module."""
    del ports
    return (RequestPlanApproval(),)
