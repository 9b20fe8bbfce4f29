"""Agents that keep a todo list, one round after the other."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from tests.fakes.agui_client import Turn
from tests.fakes.chat_script import EXECUTION, INTENT, judged
from tests.fakes.provider.scenario import Rule, Scenario
from tests.todos.lists import step


def todo_call(*steps: str, title: str = "Report", **more: Any) -> dict[str, str]:
    """A call of the tool; steps as in `tests.todos.lists`."""
    items = [{"label": each.label, "status": each.status} for each in map(step, steps)]
    arguments = json.dumps({"title": title, "items": items, **more})
    return {"name": "manage_todo_list", "arguments": arguments}


def rounds(*calls: Sequence[dict[str, str]], **last: Any) -> Scenario:
    """The executing agent makes these calls, one group a round, then answers."""
    rules, results = [Rule(match=INTENT, set={"text": judged("simple")})], 0
    asked: list[Rule] = []
    for group in calls:
        asked.append(Rule(match=_after(results), set={"tools": list(group), "tools_always": True}))
        results += len(group)
    done = Rule(match=_after(results), set={"text": "The work is done.", "chunks": 3, **last})
    return Scenario(rules=(*rules, done, *reversed(asked)))


def _after(results: int) -> str:
    """The conversation of an agent that has had so many results of its tools, or more."""
    return EXECUTION + r'.*\n(?:\{"status"|Error: )' * results


def lists(turn: Turn) -> list[dict[str, Any]]:
    """What the client was shown of the list, in order; all of it is one activity."""
    shown = [e for e in turn.of("ACTIVITY_SNAPSHOT") if e["activityType"] == "callsheet.todo"]
    assert len({each["messageId"] for each in shown}) <= 1
    assert all(each["replace"] for each in shown)
    assert all(each["content"]["listId"] == each["messageId"] for each in shown)
    return [each["content"] for each in shown]


def spelled(content: dict[str, Any]) -> list[str]:
    """The steps of a shown list, as in `tests.todos.lists`."""
    marks = {"completed": "x", "running": ">", "pending": "-"}
    return [f"{marks[item['status']]}{item['label']}" for item in content["items"]]
