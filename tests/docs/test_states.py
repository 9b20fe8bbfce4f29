"""The page of states says what the tables in the code say."""

from __future__ import annotations

import re
from typing import Any

import pytest

from callsheet.events.states import STAGE, TOOL_CALL
from callsheet.kit.states import StateTable
from callsheet.runs.end import SESSION_STATUS
from callsheet.runs.states import RUN
from callsheet.sessions.states import MESSAGE, SESSION
from callsheet.todos.states import TODO_ITEM
from tests.docs.pages import text_of

TABLES: dict[str, StateTable[Any]] = {
    "Run": RUN,
    "Session": SESSION,
    "Message": MESSAGE,
    "Stage": STAGE,
    "Tool call": TOOL_CALL,
    "Todo step": TODO_ITEM,
}


def section(heading: str) -> str:
    return re.split(r"^## ", text_of("docs/states.md"), flags=re.MULTILINE)[
        [*TABLES].index(heading) + 1
    ]


def row(left: str, right: tuple[str, ...]) -> str:
    return f"| `{left}` | {', '.join(f'`{state}`' for state in right)} |".replace("|  |", "| |")


@pytest.mark.parametrize("heading", TABLES)
def test_the_page_has_each_table(heading: str) -> None:
    table = TABLES[heading]
    lines = [row(state, table.after(state)) for state in table.states]
    assert section(heading).startswith(f"{heading}\n")
    assert "\n".join(["| state | may become |", "|---|---|", *lines, ""]) in section(heading)


def test_the_page_says_which_session_goes_with_which_run() -> None:
    lines = [row(run, (session,)) for run, session in SESSION_STATUS.items()]
    assert "\n".join(lines) in section("Session")
