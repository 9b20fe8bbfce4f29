"""What is known of the turn so far: what rules look at and what tasks get as input."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Literal

from callsheet.sessions.settings import SessionSettings


@dataclass(frozen=True, slots=True)
class HistoryMessage:
    """One earlier message of the session."""

    role: Literal["user", "assistant"]
    text: str


@dataclass(frozen=True, slots=True)
class Earlier:
    """What the session holds from before the turn.

    `messages` are user messages and visible answers, oldest first. `todo` is the list of steps that
    an earlier turn has left open, as lines of text; empty where there is none.
    """

    messages: tuple[HistoryMessage, ...] = ()
    message_count: int = 0
    todo: str = ""


@dataclass(frozen=True, slots=True)
class StageResult:
    """What a stage gave: its text, and the parsed value where the stage has a schema."""

    text: str
    output: Any = None
    message_id: str | None = None


@dataclass(frozen=True, slots=True)
class TurnView:
    """The message, the history, and the results of the stages that have run.

    `message_text` has behind it what was said on the way, as far as it is known by then. `todo` as
    in `Earlier`.
    """

    message_text: str
    history: tuple[HistoryMessage, ...]
    now: datetime
    message_count: int = 0
    settings: SessionSettings = field(default_factory=SessionSettings)
    results: Mapping[str, StageResult] = field(default_factory=dict)
    todo: str = ""

    def after(self, stage: str, result: StageResult) -> TurnView:
        """The view with one more result."""
        return replace(self, results={**self.results, stage: result})

    def steered(self, texts: Sequence[str]) -> TurnView:
        """The view with what was said on the way behind the message."""
        return replace(self, message_text="\n\n".join((self.message_text, *texts)))

    def variables(self) -> dict[str, Any]:
        """The names that rules and task inputs may use, as plain data."""
        return {
            "message": {"text": self.message_text, "length": len(self.message_text)},
            "session": {"message_count": self.message_count, "mode": self.settings.mode},
            "now": {"date": self.now.date().isoformat(), "iso": self.now.isoformat()},
            "stages": {
                name: {"text": result.text, "output": result.output}
                for name, result in self.results.items()
            },
        }
