"""A line of a server as a message of the protocol."""

from __future__ import annotations

from typing import Any, Final

from mcp.types import ErrorData, JSONRPCError, JSONRPCMessage
from pydantic import ValidationError

from callsheet.tools.mcp.message import lenient

_NO_RESULT: Final = -32_093


def spoken(line: bytes) -> JSONRPCMessage | None:
    """The message; an answer that is none is an error of its call. None: it is no message."""
    try:
        value = lenient(line)
    except ValueError:
        return None
    try:
        return JSONRPCMessage.model_validate(value)
    except ValidationError:
        return _as_error(value)


def _as_error(value: Any) -> JSONRPCMessage | None:
    if not isinstance(value, dict) or "method" in value:
        return None
    call = value.get("id")
    if isinstance(call, float) and call.is_integer():
        call = int(call)
    if isinstance(call, bool) or not isinstance(call, int):
        return None
    error = ErrorData(code=_NO_RESULT, message="it answered with what is no result")
    return JSONRPCMessage(JSONRPCError(jsonrpc="2.0", id=call, error=error))
