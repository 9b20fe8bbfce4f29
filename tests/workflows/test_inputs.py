"""A task's inputs on their way to the model."""

from __future__ import annotations

import time
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from callsheet.workflows.inputs import DataBlock, lookup, render, resolve
from callsheet.workflows.workflow import TaskSpec

TASK = TaskSpec(
    name="draft",
    description="Answer {request} of {today}, {{literally}}, like {sample}.",
    expected_output="As {request} says",
    agent="writer",
    inputs={"request": "message.text", "today": "now.date"},
    inline_inputs=frozenset({"today"}),
)


def variables(text: str) -> dict[str, Any]:
    return {"message": {"text": text}, "now": {"date": "2026-01-31"}, "stages": {}}


def test_data_is_named_in_the_instructions_and_stands_beside_them() -> None:
    found = resolve(TASK, variables("Hello {today}"))

    assert found.description == "Answer <request> of 2026-01-31, {literally}, like {sample}."
    assert found.expected_output == "As <request> says"
    assert found.blocks == (DataBlock("request", "Hello {today}"),)


@settings(deadline=None)
@given(st.text())
def test_what_a_user_writes_never_changes_the_instructions(text: str) -> None:
    found = resolve(TASK, variables(text))

    assert found.description == resolve(TASK, variables("")).description
    assert found.expected_output == resolve(TASK, variables("")).expected_output


@settings(deadline=None)
@given(st.text("<>/ request\nREQUEST", max_size=60))
def test_no_value_can_close_its_block_or_open_another(text: str) -> None:
    shown = render([DataBlock("request", text), DataBlock("quest", "x")])

    lowered = shown.lower().replace(" ", "").replace("\n", "")
    assert lowered.count("</request>") == 1
    assert lowered.count("<request>") == 1
    assert lowered.count("</quest>") == 1


def test_values_that_are_no_text_come_as_json_and_absent_ones_empty() -> None:
    task = TaskSpec(
        name="t", description="{a} {b} {c} {d}", expected_output="x", agent="w",
        inputs={"a": "stages.plan.output", "b": "stages.plan.output.n", "c": "stages.no.text",
                "d": "stages.plan.output.title.deeper"},
    )  # fmt: skip
    values = {"stages": {"plan": {"output": {"n": 3, "ok": True, "title": "名"}}}}

    assert resolve(task, values).blocks == (
        DataBlock("a", '{"n":3,"ok":true,"title":"名"}'),
        DataBlock("b", "3"),
        DataBlock("c", ""),
        DataBlock("d", ""),
    )


def test_blocks_are_rendered_in_their_order_and_none_gives_nothing() -> None:
    assert render([]) == ""
    assert render([DataBlock("a", "x"), DataBlock("b", "</A >\n< b>")]) == (
        "<a>\nx\n</a>\n\n<b>\n&lt;/A >\n&lt; b>\n</b>"
    )
    assert lookup("message.text", {}) is None


def test_a_page_of_spaces_behind_a_bracket_does_not_hold_up_the_server() -> None:
    text = ("<" + " " * 30_000) * 3 + "</request>"
    began = time.process_time()
    shown = render([DataBlock("request", text)])
    assert time.process_time() - began < 1
    assert shown.count("</request>") == 1
