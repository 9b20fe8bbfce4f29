"""A run's events, collected to the one document of a caller that does not stream."""

from __future__ import annotations

from decimal import Decimal
from uuid import uuid4

import msgspec

from callsheet.agui.run_input import RunInput
from callsheet.agui.show import SHOW_EVERYTHING
from callsheet.api.documents import Answer
from callsheet.api.whole_answer import WholeAnswer
from callsheet.events.call import AnswerFinished
from callsheet.events.reasoning import ReasoningDelta, ReasoningEnded, ReasoningStarted
from callsheet.events.run import RunCancelled, RunFinished
from callsheet.events.text import TextDelta, TextEnded, TextStarted
from callsheet.events.union import AnyRunEvent
from callsheet.events.usage import Bill, Usage
from callsheet.runs.started import StartedRun
from tests.api.fake_chat import FakeChat

BILL = Bill(
    message_id="m1",
    seq=2,
    model="m",
    usage=Usage(input_tokens=3, output_tokens=2),
    cost=Decimal("0.000005"),
    currency="USD",
    latency_ms=4,
)


def text(message_id: str, words: str, *, visible: bool = True) -> list[AnyRunEvent]:
    return [
        TextStarted(message_id=message_id, agent_run_id="a", visible=visible),
        TextDelta(message_id=message_id, text=words),
    ]


def answer_of(*events: AnyRunEvent) -> Answer:
    asked = RunInput(
        protocol="1.0",
        session_id=uuid4(),
        raw_thread_id="t",
        run_id=uuid4(),
        raw_run_id="r",
        message_id=uuid4(),
        raw_message_id="m",
        text="x",
    )
    entries = FakeChat()._entries(asked, "trace")
    whole = WholeAnswer(SHOW_EVERYTHING)
    for event in events:
        whole.take(event)
    return whole.document(StartedRun(asked.run_id, asked.session_id, "trace", entries), asked)


def test_an_answer_that_thinks_in_between_is_whole_and_has_its_bill() -> None:
    answer = answer_of(
        *text("m1", "One. "),
        TextEnded(message_id="m1"),
        ReasoningStarted(message_id="m1", agent_run_id="a", visible=True),
        ReasoningDelta(message_id="m1", text="hm"),
        ReasoningEnded(message_id="m1"),
        *text("m1-text-2", "Two."),
        TextEnded(message_id="m1-text-2", bill=BILL),
        AnswerFinished(message_id="m1", status="final", text="One. Two."),
        RunFinished(message_id="m1"),
    )
    assert answer.message is not None
    assert (answer.message.id, answer.message.content) == ("m1", "One. Two.")
    assert msgspec.to_builtins(answer.message.metadata)["callsheet"]["cost"] == "0.000005"


def test_a_stopped_run_gives_what_had_been_said_last() -> None:
    answer = answer_of(
        *text("inner", "Not for people.", visible=False),
        AnswerFinished(message_id="inner", status="final", text="Not for people."),
        *text("m1", "Half an"),
        TextEnded(message_id="m1"),
        AnswerFinished(message_id="m1", status="partial", text="Half an"),
        RunCancelled(reason="user"),
    )
    assert answer.message is not None
    assert (answer.message.content, answer.status) == ("Half an", "cancelled")


def test_a_view_that_broke_off_gives_what_it_had_seen() -> None:
    answer = answer_of(*text("m1", "Half"))
    assert answer.message is not None
    assert (answer.message.content, answer.status) == ("Half", "interrupted")
