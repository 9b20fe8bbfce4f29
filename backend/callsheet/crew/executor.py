"""CrewAI's agent executor, replaced by our own loop."""

from __future__ import annotations

from typing import Any, Self

from crewai.agents.agent_executor import AgentExecutor
from pydantic import PrivateAttr, model_validator

from callsheet.crew.model import CrewModel


class LoopExecutor(AgentExecutor):
    """Hands the execution to its part.

    The stock executor is a flow of 32 methods that calls the model in threads, cannot be cancelled
    and builds a Pydantic class for each agent. None of that machinery is set up here.
    """

    _console: Any = PrivateAttr(default=None)  # a rich console for each agent otherwise

    @model_validator(mode="after")
    def _setup_executor(self) -> Self:
        """Nothing: hooks, state and tracing belong to the flow."""
        return self

    def _flow_post_init(self, definition: Any = None) -> None:
        """Nothing: there is no flow."""

    async def ainvoke(self, inputs: dict[str, Any]) -> dict[str, Any]:
        """Perform. An empty answer becomes a blank: CrewAI takes an empty output for a failure."""
        model = self.llm
        if not isinstance(model, CrewModel):
            raise TypeError("LoopExecutor works with CrewModel alone")
        async with model.performing() as part:
            delivery = await part.perform(model.acall)
        return {"output": delivery.text or " "}
