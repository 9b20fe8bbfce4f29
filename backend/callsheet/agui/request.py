"""The bytes of a request -> what a client asks for, from both client generations.

The protocol's own models are not used here: a thread's whole history comes along with each
request, and all of it but one message is ignored.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from callsheet.agui.answers import given_in
from callsheet.agui.run_input import Protocol, RunInput
from callsheet.agui.wishes import on_disconnect_of
from callsheet.interrupts.judge import Given
from callsheet.kit.errors import BadInput, TooLarge
from callsheet.kit.ids import resolve_id
from callsheet.kit.json import cleaned, decode_as_is, is_deeper
from callsheet.kit.text import sanitize

LONGEST_ID: Final = 200
MOST_DEEP: Final = 200
_CONTROL: Final = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_SNAKE: Final = {
    "threadId": "thread_id",
    "runId": "run_id",
    "parentRunId": "parent_run_id",
    "protocolVersion": "protocol_version",
    "forwardedProps": "forwarded_props",
}


@dataclass(frozen=True, slots=True)
class _Message:
    raw_id: str
    text: str
    sanitized: bool
    is_last: bool


def parse_request(body: bytes, user_id: UUID, *, max_message_chars: int) -> RunInput:
    """The request that `body` spells, with its ids resolved for this user.

    Raises BadInput, whose extra `field` says where (`messages/3/content`); TooLarge for a message
    of more than `max_message_chars`.
    """
    fields = _object(body)
    thread_id = check_id(_field(fields, "threadId"), "threadId")
    run_id = check_id(_field(fields, "runId"), "runId")
    parent = _field(fields, "parentRunId")
    parent_id = None if parent is None else check_id(parent, "parentRunId")
    given = given_in(fields)
    message = _new_message(fields.get("messages"), max_message_chars, given)
    if message is None:
        message = _Message(f"{run_id}-answer", "", sanitized=False, is_last=False)
    props = storable(_field(fields, "forwardedProps"), "forwardedProps")
    return RunInput(
        protocol=protocol_of(_field(fields, "protocolVersion")),
        session_id=resolve_id(thread_id, user_id, "session"),
        raw_thread_id=thread_id,
        run_id=resolve_id(run_id, user_id, "run"),
        raw_run_id=run_id,
        message_id=resolve_id(message.raw_id, user_id, "message"),
        raw_message_id=message.raw_id,
        text=message.text,
        sanitized=message.sanitized,
        parent_run_id=None if parent_id is None else resolve_id(parent_id, user_id, "run"),
        raw_parent_run_id=parent_id,
        tools=_objects(fields.get("tools"), "tools"),
        context=_objects(fields.get("context"), "context"),
        state=storable(fields.get("state"), "state"),
        forwarded_props=props,
        on_disconnect=on_disconnect_of(props),
        given=given,
        is_said_last=message.is_last,
    )


def check_id(value: Any, field: str) -> str:
    """A client's own name for something: 1 to 200 characters, none of them a control character."""
    if not isinstance(value, str):
        raise BadInput(f"{field} must be a string.", field=field)
    if not value.strip():
        raise BadInput(f"{field} must not be empty.", field=field)
    if len(value) > LONGEST_ID:
        raise BadInput(f"{field} must not be longer than {LONGEST_ID} characters.", field=field)
    if _CONTROL.search(value):
        raise BadInput(f"{field} must not hold control characters.", field=field)
    return value


def _object(body: bytes) -> Mapping[str, Any]:
    try:
        value = decode_as_is(body)
    except (ValueError, RecursionError) as error:
        raise BadInput("The body is not valid JSON.", field="", code="invalid_json") from error
    if not isinstance(value, dict):
        raise BadInput("The body must be a JSON object (a RunAgentInput).", field="")
    return value


def _field(fields: Mapping[str, Any], name: str) -> Any:
    value = fields.get(name)
    return fields.get(_SNAKE[name]) if value is None else value


def protocol_of(version: Any) -> Protocol:
    """A version that is absent or below 1 is the old generation; an unknown word is a newer one."""
    if version is None:
        return "0.x"
    if not isinstance(version, str):
        raise BadInput("protocolVersion must be a string.", field="protocolVersion")
    return "0.x" if re.match(r"0(\.|$)", version) else "1.0"


def _objects(value: Any, field: str) -> tuple[dict[str, Any], ...]:
    if value is None:
        return ()
    if not isinstance(value, list):
        raise BadInput(f"{field} must be a list.", field=field)
    for place, item in enumerate(value):
        if not isinstance(item, dict):
            raise BadInput(f"{field}/{place} must be an object.", field=f"{field}/{place}")
    return tuple(storable(value, field))


def storable(value: Any, field: str) -> Any:
    """A client's own JSON, clean and not too deep; BadInput names `field`."""
    if is_deeper(value, MOST_DEEP):
        raise BadInput(
            f"{field} is nested too deeply: over {MOST_DEEP} lists and objects.", field=field
        )
    return cleaned(value)


def _new_message(value: Any, max_chars: int, given: Given) -> _Message | None:
    """The last user message; beside answers only where it may be new, and there need be none."""
    if not isinstance(value, list):
        raise BadInput("messages must be a list.", field="messages")
    found: tuple[int, dict[str, Any]] | None = None
    for place, item in enumerate(value):
        if not isinstance(item, dict):
            raise BadInput(f"messages/{place} must be an object.", field=f"messages/{place}")
        if not isinstance(item.get("role"), str):
            field = f"messages/{place}/role"
            raise BadInput(f"{field} must be a string.", field=field)
        if item["role"] == "user":
            found = place, item
    if found is None and not given:
        raise BadInput("messages holds no message of role user.", field="messages")
    if found is None:
        return None
    is_last = found[0] == len(value) - 1
    if not is_last and given.answers:
        return None
    return _read_message(f"messages/{found[0]}", found[1], max_chars, is_last=is_last)


def _read_message(
    field: str, item: Mapping[str, Any], max_chars: int, *, is_last: bool
) -> _Message:
    raw_id = check_id(item.get("id"), f"{field}/id")
    content = _content(item.get("content"), f"{field}/content")
    if len(content) > max_chars:
        raise TooLarge(
            f"{field}/content has {len(content)} characters; the limit is {max_chars}.",
            field=f"{field}/content",
            limit=max_chars,
        )
    if not content.strip():
        raise BadInput(f"{field}/content is empty.", field=f"{field}/content")
    text, replaced = sanitize(content)
    return _Message(raw_id, text, replaced, is_last)


def _content(value: Any, field: str) -> str:
    if isinstance(value, str):
        return value
    if not isinstance(value, list):
        raise BadInput(f"{field} must be a string or a list of parts.", field=field)
    return "\n".join(_part(part, f"{field}/{place}") for place, part in enumerate(value))


def _part(value: Any, field: str) -> str:
    kind = value.get("type") if isinstance(value, dict) else None
    if not isinstance(kind, str):
        raise BadInput(f"{field} must be an object with a type.", field=field)
    if kind != "text":
        raise BadInput(
            f"{field} is of type {kind[:40]!r}; only text is taken.",
            field=field,
            code="part_not_allowed",
        )
    if not isinstance(value.get("text"), str):
        raise BadInput(f"{field}/text must be a string.", field=f"{field}/text")
    text: str = value["text"]
    return text
