"""The three stages that every server of the bench runs, in the same words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class StageText:
    """One stage: one agent with one task."""

    name: str
    role: str
    goal: str
    backstory: str
    task: str
    expected: str

    @property
    def system(self) -> str:
        """What the agent is told that it is."""
        return f"You are {self.role}. {self.backstory}\nYour goal: {self.goal}"

    def prompt(self, said: str) -> str:
        """What it is asked."""
        return f"{self.task}\n\n{said}\n\nExpected: {self.expected}"


STAGES: Final = (
    StageText(
        "intent",
        "Listener",
        "Find out what the user wants.",
        "You read a message and name what it asks for.",
        "Say what this message asks for.",
        "One short sentence.",
    ),
    StageText(
        "execution",
        "Doer",
        "Do what the user wants.",
        "You do what was asked, step by step.",
        "Do what was asked.",
        "The result, complete.",
    ),
    StageText(
        "organization",
        "Writer",
        "Write the answer.",
        "You turn a result into an answer that is easy to read.",
        "Write the answer to the user from this result.",
        "The answer, in plain words.",
    ),
)
