"""One answer: what is booked, retried and ended for every way that a provider can behave."""

from __future__ import annotations

import pytest

from callsheet.events.call import LlmCallStarted
from callsheet.events.text import TextEnded
from callsheet.events.tool import ToolCallEnded
from callsheet.kit.errors import Unpriced
from callsheet.llm.chat import FinishPart, TextPart, ToolCallPart, UsagePart
from callsheet.llm.errors import ProviderCode, ProviderError
from tests.crew.asking import Desk, fault
from tests.fakes.chat import USAGE, Script, calls, text, thought


async def test_an_answer_is_booked_with_the_providers_usage_and_bills_its_last_end() -> None:
    desk = Desk.of(text("Hel", "lo"))
    answer = await desk.ask()
    (call,) = desk.calls
    assert (answer.text, call.status, call.metered.source) == ("Hello", "settled", "provider")
    assert (call.metered.usage.input_tokens, call.metered.usage.output_tokens) == (11, 5)
    assert (call.upstream_id, call.response_model) == ("up-1", "real-model")
    (ended,) = desk.recording.of(TextEnded)
    assert ended.bill is not None
    assert ended.bill.usage == call.metered.usage
    assert desk.recording.kinds()[-3:] == ["LlmCallFinished", "TextEnded", "AnswerFinished"]
    desk.recording.end()


async def test_only_the_last_end_of_an_answer_with_text_and_two_calls_has_the_bill() -> None:
    desk = Desk.of(calls(("a", {}), ("b", {}), said="Both."))
    await desk.ask()
    bills = [end.bill for end in desk.recording.of(TextEnded)]
    bills += [end.bill for end in desk.recording.of(ToolCallEnded)]
    assert [bill is not None for bill in bills] == [False, False, True]


async def test_reasoning_is_kept_apart_from_the_answer() -> None:
    desk = Desk.of(thought("think", "say"))
    answer = await desk.ask()
    assert (answer.text, answer.reasoning) == ("say", "think")
    assert (desk.finished.text, desk.finished.reasoning) == ("say", "think")


async def test_no_usage_is_estimated_and_never_zero() -> None:
    desk = Desk.of(text("A whole sentence.", usage=None))
    await desk.ask()
    (call,) = desk.calls
    assert (call.status, call.metered.source) == ("settled", "estimated")
    assert call.metered.usage.input_tokens > 0
    assert call.metered.usage.output_tokens > 0


@pytest.mark.parametrize(
    ("code", "source"),
    [
        ("provider_rate_limited", "none"),
        ("provider_error", "none"),
        ("provider_unreachable", "none"),
        ("provider_timeout", "estimated"),
        ("provider_empty", "estimated"),
    ],
)
async def test_a_fault_before_the_first_byte_is_tried_again_on_the_same_message(
    code: ProviderCode, source: str
) -> None:
    desk = Desk.of([fault(code)], [fault(code)], text("there"))
    answer = await desk.ask()
    assert answer.text == "there"
    assert [call.status for call in desk.calls] == ["failed", "failed", "settled"]
    assert [call.error_code for call in desk.calls] == [code, code, None]
    assert desk.calls[0].metered.source == source
    assert (desk.calls[0].metered.usage.total_tokens == 0) == (source == "none")
    assert [started.attempt for started in desk.recording.of(LlmCallStarted)] == [1, 2, 3]
    assert {started.message_id for started in desk.recording.of(LlmCallStarted)} == {
        answer.message_id
    }
    desk.recording.end()


async def test_attempts_end_and_leave_a_closed_message() -> None:
    desk = Desk.of(*[[fault("provider_error")]] * 3)
    with pytest.raises(ProviderError, match="fake") as raised:
        await desk.ask()
    assert raised.value.error_code == "provider_error"
    assert len(desk.chat.requests) == 3
    assert (desk.finished.status, desk.finished.text) == ("partial", "")
    desk.recording.end()


@pytest.mark.parametrize("code", ["provider_refused", "content_filter", "provider_malformed"])
async def test_what_would_fail_again_is_asked_once(code: ProviderCode) -> None:
    desk = Desk.of([fault(code)])
    with pytest.raises(ProviderError):
        await desk.ask()
    assert len(desk.chat.requests) == 1
    desk.recording.end()


@pytest.mark.parametrize("code", ["provider_cut", "provider_timeout", "provider_malformed"])
async def test_a_fault_between_bytes_closes_the_answer_and_books_what_came(
    code: ProviderCode,
) -> None:
    desk = Desk.of([(TextPart("Half a"),), (TextPart(" sentence"),), fault(code, answered=True)])
    with pytest.raises(ProviderError):
        await desk.ask()
    (call,) = desk.calls
    assert (call.status, call.error_code, call.metered.source) == ("failed", code, "estimated")
    assert call.metered.usage.output_tokens > 0
    assert (desk.finished.status, desk.finished.text) == ("partial", "Half a sentence")
    assert len(desk.chat.requests) == 1
    desk.recording.end()


async def test_tool_calls_of_a_broken_answer_are_answered_as_stopped() -> None:
    broken: Script = [(ToolCallPart(0, "c", "clock", '{"a'),), fault("provider_cut", answered=True)]
    desk = Desk.of(broken)
    with pytest.raises(ProviderError):
        await desk.ask()
    assert desk.recording.kinds()[-2:] == ["AnswerFinished", "ToolResult"]
    desk.recording.end()


async def test_usage_that_came_before_the_fault_is_what_is_known_and_marked() -> None:
    desk = Desk.of([(TextPart("Half"), UsagePart(USAGE)), fault("provider_cut", answered=True)])
    with pytest.raises(ProviderError):
        await desk.ask()
    (call,) = desk.calls
    assert (call.status, call.metered.source) == ("failed", "estimated")
    assert (call.metered.method, call.metered.usage.input_tokens) == ("last_known", 11)
    assert call.metered.usage.output_tokens == 5


async def test_usage_that_came_before_most_of_the_answer_is_not_taken_for_its_last_word() -> None:
    early = UsagePart({"prompt_tokens": 900, "completion_tokens": 0}, words_followed=True)
    desk = Desk.of([(TextPart("A whole sentence, said after it."), FinishPart("stop"), early)])
    await desk.ask()
    (call,) = desk.calls
    assert (call.status, call.metered.method) == ("settled", "last_known")
    assert call.metered.usage.input_tokens == 900
    assert call.metered.usage.output_tokens > 5


async def test_a_filtered_answer_fails_with_its_usage_booked() -> None:
    desk = Desk.of(text("This is", reason="content_filter"))
    with pytest.raises(ProviderError) as raised:
        await desk.ask()
    assert raised.value.error_code == "content_filter"
    (call,) = desk.calls
    assert (call.status, call.metered.source) == ("failed", "provider")
    assert desk.finished.status == "partial"
    desk.recording.end()


async def test_an_empty_answer_is_an_answer() -> None:
    desk = Desk.of([(FinishPart("stop"), UsagePart(USAGE))])
    answer = await desk.ask()
    assert (answer.text, desk.finished.status, desk.calls[0].status) == ("", "final", "settled")
    desk.recording.end()


async def test_a_stream_without_a_word_about_its_end_is_no_answer() -> None:
    desk = Desk.of([()], [()], [()])
    with pytest.raises(ProviderError) as raised:
        await desk.ask()
    assert raised.value.error_code == "provider_empty"


async def test_an_unpriced_model_is_not_asked() -> None:
    desk = Desk.of(text("never"), unpriced=frozenset({"m1"}))
    with pytest.raises(Unpriced):
        await desk.ask()
    assert desk.chat.requests == []
    assert desk.recording.kinds() == ["RunStarted"]
