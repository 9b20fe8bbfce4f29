"""The recordings, and the lines of the page about the protocol that are made from them."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Final

from tests.golden.kinds import KINDS

STREAMS: Final = Path(__file__).parent / "streams"
PAGE: Final = Path(__file__).parents[2] / "docs" / "protocol.md"
IS_RECORDING: Final = os.environ.get("CALLSHEET_TEST_RECORD") == "1"
_SHOWN: Final = ("stepName", "name", "toolCallName", "activityType", "delta", "content", "code")
_WIDTH: Final = 26
_MOST: Final = 60


def read(name: str) -> list[dict[str, Any]]:
    """The events of a recording."""
    return [json.loads(line) for line in _file(name).read_text("utf-8").splitlines()]


def read_messages(name: str) -> list[dict[str, Any]]:
    """What the database had of the run's messages then."""
    return [json.loads(line) for line in _beside(name).read_text("utf-8").splitlines()]


def write(name: str, events: list[dict[str, Any]], messages: list[dict[str, Any]]) -> None:
    """Record anew, and show it on the page."""
    STREAMS.mkdir(exist_ok=True)
    _file(name).write_text(_lines(events), "utf-8")
    _beside(name).write_text(_lines(messages), "utf-8")
    before, mark, rest = PAGE.read_text("utf-8").partition(f"\n### {name}\n")
    if mark:
        head, _, tail = rest.partition("```text\n")
        shown = f"{head}```text\n{outline(events)}\n```" + tail.partition("```")[2]
        PAGE.write_text(before + mark + shown, "utf-8")


def outline(events: list[dict[str, Any]]) -> str:
    """One line for each event: its type and what tells it from the others."""
    lines = [f"{event['type']:<{_WIDTH}} {_told(event)}".rstrip() for event in events]
    return "\n".join(lines)


def recorded() -> set[str]:
    """The names of all recordings that are there."""
    return {path.stem for path in STREAMS.glob("*.jsonl") if not path.stem.endswith(".messages")}


def _told(event: dict[str, Any]) -> str:
    parts = [event[name] for name in _SHOWN if isinstance(event.get(name), str)]
    outcome = event.get("outcome")
    if outcome:
        reasons = [each["reason"] for each in outcome.get("interrupts", ())]
        pending = outcome.get("pendingToolCallIds", [])
        parts += [outcome["type"], *reasons, *(f"pending {each}" for each in pending)]
    finish = event.get("metadata", {}).get("finishReason")
    if finish:
        parts.append(f"finishReason {finish}")
    if "subagentRunId" in event and event["type"] != "SUBAGENT_STARTED":
        parts.append(f"({event['subagentRunId']})")
    text = " ".join(" ".join(parts).split())
    return text if len(text) <= _MOST else f"{text[: _MOST - 3]}..."


def _file(name: str) -> Path:
    return STREAMS / f"{KINDS[name].name}.jsonl"


def _beside(name: str) -> Path:
    return STREAMS / f"{KINDS[name].name}.messages.jsonl"


def _lines(items: list[dict[str, Any]]) -> str:
    return "".join(f"{json.dumps(item, ensure_ascii=False)}\n" for item in items)
