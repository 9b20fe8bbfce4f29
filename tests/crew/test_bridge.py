"""The parts of a stream become events that a client can follow."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from callsheet.crew.bridge import AnswerBridge
from callsheet.crew.frame import Frame
from callsheet.events.reasoning import ReasoningDelta
from callsheet.events.text import TextDelta
from callsheet.events.tool import ToolCallArgs, ToolCallStarted
from callsheet.kit.ids import new_id
from callsheet.llm.chat import ChatPart, FinishPart, ReasoningPart, TextPart, ToolCallPart
from tests.fakes.stage import agent
from tests.fakes.turn import Recording

MESSAGE = str(new_id())


def bridged(reads: Sequence[Sequence[ChatPart]]) -> tuple[Recording, AnswerBridge]:
    recording = Recording()
    frame = Frame(agent_run_id="a1", path="s#1/t", stage="s", agent=agent(), task="t", visible=True)
    bridge = AnswerBridge(frame, MESSAGE, recording)
    for parts in reads:
        bridge.take(parts)
    bridge.end(None)
    return recording, bridge


def test_the_deltas_of_one_read_become_one_event() -> None:
    recording, _ = bridged([[TextPart("a"), TextPart("b"), TextPart("c")], [TextPart("d")]])
    assert [event.text for event in recording.of(TextDelta)] == ["abc", "d"]


def test_text_is_closed_before_a_tool_call_opens() -> None:
    recording, _ = bridged([[TextPart("Let me see.")], [ToolCallPart(0, "x", "clock", "{}")]])
    assert recording.kinds()[1:] == [
        "TextStarted",
        "TextDelta",
        "TextEnded",
        "ToolCallStarted",
        "ToolCallArgs",
        "ToolCallEnded",
    ]


def test_reasoning_ends_where_the_text_begins() -> None:
    recording, bridge = bridged([[ReasoningPart("hm"), TextPart("\n\nyes")]])
    assert recording.kinds()[1:] == [
        "ReasoningStarted",
        "ReasoningDelta",
        "ReasoningEnded",
        "TextStarted",
        "TextDelta",
        "TextEnded",
    ]
    assert bridge.answer().text == "yes"


def test_text_and_reasoning_that_alternate_lose_no_word() -> None:
    reads: list[list[ChatPart]] = [
        [TextPart("a"), ReasoningPart("r"), TextPart("b"), ReasoningPart("s"), TextPart("c")]
    ]
    recording, bridge = bridged(reads)
    assert recording.text == bridge.answer().text == "abc"
    assert "".join(event.text for event in recording.of(ReasoningDelta)) == "rs"
    assert bridge.answer().message_id == MESSAGE
    assert len({event.message_id for event in recording.of(TextDelta)}) == 3


def test_blank_text_opens_no_bubble() -> None:
    recording, bridge = bridged([[TextPart("\n")], [TextPart("  \n")], [FinishPart("stop")]])
    assert recording.kinds() == ["RunStarted"]
    assert bridge.answer().text == ""
    assert bridge.complete


def test_a_tool_call_in_one_piece_has_its_arguments_once() -> None:
    recording, _ = bridged([[ToolCallPart(0, "x", "weather", '{"city":"Rome"}')]])
    assert [event.text for event in recording.of(ToolCallArgs)] == ['{"city":"Rome"}']


@pytest.mark.parametrize("arguments", ["", " "])
def test_a_call_without_arguments_gets_an_empty_object(arguments: str) -> None:
    _, bridge = bridged([[ToolCallPart(0, "x", "clock", arguments)]])
    assert bridge.answer().tool_calls[0].arguments == "{}"


def test_interleaved_calls_keep_their_own_arguments() -> None:
    recording, bridge = bridged(
        [
            [ToolCallPart(0, "same", "a", '{"x"')],
            [ToolCallPart(1, "same", "b", '{"y"')],
            [ToolCallPart(0, None, None, ":1}"), ToolCallPart(1, None, None, ":2}")],
        ]
    )
    calls = bridge.answer().tool_calls
    assert [(call.name, call.arguments) for call in calls] == [("a", '{"x":1}'), ("b", '{"y":2}')]
    assert len({event.tool_call_id for event in recording.of(ToolCallStarted)}) == 2


def test_text_after_a_tool_call_is_shown_too() -> None:
    recording, bridge = bridged(
        [[TextPart("one "), ToolCallPart(0, "x", "clock", "{}"), TextPart("two")]]
    )
    assert recording.text == bridge.answer().text == "one two"


def test_a_name_that_a_model_made_up_is_cut_to_what_a_message_holds() -> None:
    recording, bridge = bridged([[ToolCallPart(0, "x", "n" * 150, "{}")]])
    assert recording.of(ToolCallStarted)[0].tool == "n" * 100
    assert bridge.answer().tool_calls[0].name == "n" * 100
