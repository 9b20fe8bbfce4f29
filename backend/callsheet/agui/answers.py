"""What a request answers: `resume`, and the results of the client's tools at its end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

from callsheet.events.interrupt import AnswerStatus
from callsheet.interrupts.answer import Answer, GivenAnswer, GivenResult
from callsheet.interrupts.judge import Given
from callsheet.kit.errors import BadInput, TooLarge
from callsheet.kit.json import cleaned, encode, is_deeper
from callsheet.kit.text import clean

MOST_ANSWERS: Final = 1_000
"""More than a model can ask in one answer: all of it has to be answered in one request."""
MOST_CHARS: Final = 100_000
_DEEPEST: Final = 100


def given_in(fields: Mapping[str, Any]) -> Given:
    """The answers of a RunAgentInput; BadInput or TooLarge where they cannot be read."""
    return Given(_answers(fields.get("resume")), _results(fields.get("messages")))


def _answers(value: Any) -> tuple[GivenAnswer, ...]:
    if value is None:
        return ()
    if not isinstance(value, list):
        raise BadInput("resume must be a list.", field="resume")
    if len(value) > MOST_ANSWERS:
        raise BadInput(f"resume has more than {MOST_ANSWERS} entries.", field="resume")
    return tuple(_answer(item, f"resume/{place}") for place, item in enumerate(value))


def _answer(item: Any, field: str) -> GivenAnswer:
    if not isinstance(item, dict):
        raise BadInput(f"{field} must be an object.", field=field)
    name = item.get("interruptId", item.get("interrupt_id"))
    if not isinstance(name, str):
        raise BadInput(f"{field}/interruptId must be a string.", field=f"{field}/interruptId")
    status = item.get("status", "resolved")
    if status not in ("resolved", "cancelled"):
        raise BadInput(f"{field}/status is resolved or cancelled.", field=f"{field}/status")
    payload = item.get("payload") if status == "resolved" else None
    if is_deeper(payload, _DEEPEST):
        raise BadInput(f"{field}/payload is nested too deeply.", field=f"{field}/payload")
    payload = cleaned(payload)
    _refuse_long(len(encode(payload)), f"{field}/payload")
    return GivenAnswer(name, Answer(cast("AnswerStatus", status), payload), field)


def _results(messages: Any) -> tuple[GivenResult, ...]:
    """The tool messages at the end; those that stand elsewhere are history, which is ours."""
    results: list[GivenResult] = []
    for place, item in reversed(list(enumerate(messages if isinstance(messages, list) else ()))):
        if not isinstance(item, dict) or item.get("role") != "tool":
            break
        if len(results) == MOST_ANSWERS:
            raise BadInput(f"messages ends in more than {MOST_ANSWERS} results.", field="messages")
        field = f"messages/{place}"
        call = item.get("toolCallId", item.get("tool_call_id"))
        if not isinstance(call, str):
            raise BadInput(f"{field}/toolCallId must be a string.", field=f"{field}/toolCallId")
        error = item.get("error")
        content = _content(item.get("content")) or (error if isinstance(error, str) else "")
        _refuse_long(len(content), f"{field}/content")
        results.append(GivenResult(clean(call), clean(content), bool(error), field))
    return tuple(reversed(results))


def _content(value: Any) -> str:
    """Text, or the text of its parts."""
    if isinstance(value, str):
        return value
    parts: Sequence[Any] = value if isinstance(value, list) else ()
    texts = [part.get("text") for part in parts if isinstance(part, dict)]
    return "\n".join(text for text in texts if isinstance(text, str))


def _refuse_long(size: int, field: str) -> None:
    if size > MOST_CHARS:
        raise TooLarge(
            f"{field} has {size} characters; the limit is {MOST_CHARS}.",
            field=field,
            limit=MOST_CHARS,
        )
