"""What had come of each answer of a run that broke off."""

from __future__ import annotations

from decimal import Decimal

from callsheet.events.call import LlmCallStarted
from callsheet.events.reasoning import ReasoningDelta, ReasoningStarted
from callsheet.events.text import TextDelta, TextStarted
from callsheet.events.tool import ToolCallArgs, ToolCallStarted
from callsheet.events.union import AnyRunEvent
from callsheet.journal.streamed import streamed_answers
from callsheet.kit.clock import SystemClock


def asked(message_id: str, agent: str, attempt: int = 1) -> LlmCallStarted:
    return LlmCallStarted(
        call_id=f"{message_id}-{attempt}",
        message_id=message_id,
        agent_run_id=agent,
        stage="s",
        agent=agent,
        task="t",
        factory="f",
        model="m",
        attempt=attempt,
        started_at=SystemClock().now(),
        price_id="p",
        reserved_cost=Decimal(0),
        currency="USD",
        visible=True,
        estimated_input_tokens=1,
    )


def says(part: str, agent: str, words: str) -> list[AnyRunEvent]:
    return [
        TextStarted(message_id=part, agent_run_id=agent, visible=True),
        TextDelta(message_id=part, text=words),
    ]


def thinks(part: str, agent: str, words: str) -> list[AnyRunEvent]:
    return [
        ReasoningStarted(message_id=part, agent_run_id=agent, visible=True),
        ReasoningDelta(message_id=part, text=words),
    ]


def calls(call_id: str, message_id: str, agent: str, arguments: str) -> list[AnyRunEvent]:
    return [
        ToolCallStarted(
            tool_call_id=call_id, tool="x", message_id=message_id, agent_run_id=agent, visible=True
        ),
        ToolCallArgs(tool_call_id=call_id, text=arguments),
    ]


def test_all_parts_of_an_answer_are_found_again() -> None:
    answers = streamed_answers(
        [
            asked("m1", "a"),
            asked("m1", "a", attempt=2),
            *thinks("m1", "a", "hm "),
            *says("m1", "a", "One. "),
            *thinks("m1-reasoning-2", "a", "so"),
            *says("m1-text-2", "a", "Two."),
            *calls("c1", "m1", "a", '{"x":1}'),
        ]
    )
    assert list(answers) == ["m1"]
    found = answers["m1"]
    assert (found.text, found.reasoning) == ("One. Two.", "hm so")
    assert found.everything == 'One. Two.hm so{"x":1}'


def test_agents_side_by_side_keep_their_own_words() -> None:
    answers = streamed_answers(
        [
            asked("m1", "a"),
            asked("m2", "b"),
            *says("m1", "a", "from a"),
            *says("m2", "b", "from b"),
            *says("m1-text-2", "a", ", more"),
            *calls("c2", "m2", "b", "{}"),
            asked("m3", "a"),
            *says("m3", "a", "next"),
        ]
    )
    assert {name: found.everything for name, found in answers.items()} == {
        "m1": "from a, more",
        "m2": "from b{}",
        "m3": "next",
    }


def test_text_that_is_shown_again_by_nobody_belongs_to_its_message() -> None:
    answers = streamed_answers([asked("m1", "a"), *says("m1", "", "shown")])
    assert answers["m1"].text == "shown"
