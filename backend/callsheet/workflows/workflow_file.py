"""The schema of `workflow.yaml`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

from pydantic import Field

from callsheet.kit.yaml import Section
from callsheet.workflows.words import (
    AnswerSeconds,
    Grace,
    Label,
    Name,
    OnDisconnect,
    RetryCode,
    Seconds,
    Text,
)


class RetryEntry(Section):
    """When a stage begins again."""

    synonyms: ClassVar[Mapping[str, str]] = {"max_attempts": "attempts", "codes": "on"}

    attempts: int = Field(default=1, ge=1, le=5, description="How often it begins in all.")
    on: tuple[RetryCode, ...] = Field(default=(), description="Error codes that are worth it.")


class StageEntry(Section):
    """One step of a turn, done by one crew."""

    synonyms: ClassVar[Mapping[str, str]] = {
        "timeout": "timeout_s",
        "if": "run_when",
        "when": "run_when",
        "unless": "skip_when",
        "crew": "agents",
        "retries": "retry",
    }

    name: Name
    agents: tuple[Name, ...] = Field(min_length=1, description="Names in agents.yaml.")
    tasks: tuple[Name, ...] = Field(min_length=1, description="Names in tasks.yaml, in order.")
    visible: bool = Field(
        default=False,
        description="Its text may be the answer; of the visible stages the last one that runs is.",
    )
    history: bool = Field(default=False, description="Its agents see the earlier messages.")
    timeout_s: Seconds | None = Field(default=None, description="All attempts together; 120.")
    retry: RetryEntry = RetryEntry()
    run_when: Text | None = Field(default=None, description="CEL; looks at earlier stages.")
    skip_when: Text | None = Field(default=None, description="CEL; looks at earlier stages.")
    stop_when: Text | None = Field(default=None, description="CEL; true ends the turn after it.")


OnSpentBudget = Literal["fail", "ask"]
WhenBusy = Literal["refuse", "queue", "steer"]
WhenWaiting = Literal["cancel_and_answer", "ask_again", "refuse"]


class WorkflowFile(Section):
    """The stages of a turn, in order."""

    synonyms: ClassVar[Mapping[str, str]] = {"timeout": "timeout_s", "steps": "stages"}

    label: Label = Field(default_factory=dict)
    description: str = ""
    timeout_s: Seconds = Field(default=600.0, description="The whole turn.")
    on_disconnect: OnDisconnect = Field(
        default="detach",
        description="What becomes of a run that nobody looks at any more: detach lets it go on.",
    )
    disconnect_grace_s: Grace = Field(
        default=30.0, description="How long nobody has to look at it before cancel stops it."
    )
    answer_within_s: AnswerSeconds = Field(
        default=86_400.0, description="How long a question or an approval waits for people."
    )
    when_busy: WhenBusy = Field(
        default="refuse",
        description="What a new message does while the session's run is active: it is refused, or "
        "its own run begins after that one.",
    )
    when_waiting: WhenWaiting = Field(
        default="cancel_and_answer",
        description="What a new message does while a run waits: it drops the run and is answered, "
        "has it ask again, or is refused.",
    )
    on_spent_budget: OnSpentBudget = Field(
        default="fail",
        description="What a spent budget of the run or the session does: it ends the run, or has "
        "the user asked whether to grant it once more.",
    )
    stages: tuple[StageEntry, ...] = Field(min_length=1)
