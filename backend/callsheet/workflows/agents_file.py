"""The schema of `agents.yaml`: CrewAI's own keys and ours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from pydantic import Field, RootModel

from callsheet.kit.yaml import Section
from callsheet.llm.model import Reasoning
from callsheet.workflows.words import Label, Name, Seconds, Text


class AgentEntry(Section):
    """One role."""

    synonyms: ClassVar[Mapping[str, str]] = {
        "llm": "default_model",
        "model": "default_model",
        "max_tokens": "max_output_tokens",
        "max_completion_tokens": "max_output_tokens",
        "max_iterations": "max_iter",
        "max_execution_time": "iteration_timeout_s",
        "timeout": "iteration_timeout_s",
        "reasoning_effort": "reasoning",
        "instructions": "backstory",
    }

    role: Text
    goal: Text
    backstory: Text
    prompt: Text | None = Field(
        default=None, description="A file of this folder, put behind the backstory."
    )
    default_model: Text = Field(description="A model_code of the catalog.")
    temperature: float | None = Field(default=None, ge=0, le=2)
    max_output_tokens: int | None = Field(default=None, ge=1, le=1_000_000)
    reasoning: Reasoning | None = None
    max_iter: int = Field(
        default=10, ge=1, le=100, description="Answers that may ask for tools; one more is forced."
    )
    iteration_timeout_s: Seconds = Field(
        default=120.0, description="One model answer and the tools it asks for."
    )
    allow_delegation: bool = Field(
        default=False, description="May hand work to the other agents of the stage."
    )
    tools: tuple[Text, ...] = Field(
        default=(),
        description="Names in config/tools.yaml; server__tool, or server__* for all that "
        "config/mcp.yaml lets be used of an MCP server.",
    )
    client_tools: bool = Field(
        default=False, description="May also call the tools that the client brings and runs."
    )
    label: Label = Field(default_factory=dict)


class AgentsFile(RootModel[dict[Name, AgentEntry]]):
    """Every agent, by name."""
