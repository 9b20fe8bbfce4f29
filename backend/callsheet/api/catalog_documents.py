"""The documents about models, workflows and health."""

from __future__ import annotations

from typing import Literal

import msgspec

from callsheet.api.documents import Document


class ModelDocument(Document, frozen=True, kw_only=True):
    """A model that can be called; nothing of its key or address."""

    model_code: str
    factory: str
    context_window_tokens: int
    max_output_tokens: int | None
    sees_images: bool
    native_tools: bool
    is_rehearsal: bool


class Models(Document, frozen=True, kw_only=True):
    """Every model that can be called now."""

    items: list[ModelDocument]


class AgentDocument(Document, frozen=True, kw_only=True):
    """An agent of a stage; `label` by language."""

    name: str
    label: dict[str, str]
    role: str
    model: str | msgspec.UnsetType = msgspec.UNSET
    tools: list[str]


class StageDocument(Document, frozen=True, kw_only=True):
    """A stage of a workflow."""

    name: str
    visible: bool
    timeout_s: float
    agents: list[AgentDocument]


class WorkflowDocument(Document, frozen=True, kw_only=True):
    """The active revision of a workflow."""

    name: str
    revision: str
    label: dict[str, str]
    description: str
    timeout_s: float
    stages: list[StageDocument]


class FileProblem(Document, frozen=True, kw_only=True):
    """A mistake in a file; line and column count from 1, 0 where there is none."""

    file: str
    line: int
    column: int
    message: str
    suggestion: str | None


class Workflows(Document, frozen=True, kw_only=True):
    """The active workflows, and why an edit on disk is not active."""

    default: str
    items: list[WorkflowDocument]
    problems: list[FileProblem]


class Live(Document, frozen=True, kw_only=True):
    """The process answers."""

    status: Literal["live"]


class PartDocument(Document, frozen=True, kw_only=True):
    """One part that a turn uses; without one that is not needed it does less."""

    name: str
    ready: bool
    needed: bool
    detail: str


class Ready(Document, frozen=True, kw_only=True):
    """Whether a turn can be served."""

    status: Literal["ready", "warming"]
    parts: list[PartDocument]
