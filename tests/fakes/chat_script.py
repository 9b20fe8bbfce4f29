"""Scenarios for the shipped workflow `chat`: one answer for each of its three agents."""

from __future__ import annotations

import json
from typing import Any, Final

from tests.fakes.provider.scenario import Rule, Scenario

INTENT: Final = "You are Request analyst"
EXECUTION: Final = "You are Problem solver"
ORGANIZATION: Final = "You are Editor"


def judged(complexity: str = "moderate", **more: Any) -> str:
    """What the intent agent answers."""
    value = {"route": "chat", "complexity": complexity, "language": "en", "plan_hint": "", **more}
    return json.dumps({**value, "needs": []})


def chat_script(
    *,
    complexity: str = "moderate",
    intent: dict[str, Any] | None = None,
    execution: dict[str, Any] | None = None,
    organization: dict[str, Any] | None = None,
    **common: Any,
) -> Scenario:
    """Judge, do, write; each part's fields override what it does by default."""
    return Scenario(
        **common,
        rules=(
            Rule(match=INTENT, set={"text": judged(complexity), "chunks": 5, **(intent or {})}),
            Rule(
                match=EXECUTION,
                set={"text": "The work is done.", "chunks": 4, **(execution or {})},
            ),
            Rule(
                match=ORGANIZATION,
                set={"text": "Here is your answer.", "chunks": 4, **(organization or {})},
            ),
        ),
    )
