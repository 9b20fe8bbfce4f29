"""Puts the tool calls of one answer in order, however a provider numbers them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from callsheet.kit.ids import new_id
from callsheet.kit.json import decode, encode
from callsheet.kit.text import clean
from callsheet.llm.chat import ToolCallPart


@dataclass(slots=True)
class _Call:
    """`key` is the provider's index. `arguments` are all that came, `waiting` those held back."""

    index: int
    key: int | None = None
    call_id: str | None = None
    name: str = ""
    arguments: list[str] = field(default_factory=list)
    waiting: list[str] = field(default_factory=list)
    begun: bool = False

    @property
    def is_whole(self) -> bool:
        """Whether its arguments are JSON as they stand."""
        try:
            decode("".join(self.arguments))
        except (ValueError, RecursionError):
            return False
        return True


class ToolCalls:
    """Gives each call one index, one id and one beginning.

    Providers leave out the index or the id, give every parallel call index 0, change the id from
    piece to piece, repeat the name on each piece, send the name after the id, or mix the pieces of
    several calls. An id that was seen tells best which call a piece is of, then the index, then
    the name; a piece with none of them goes on with the last call. A call begins with the piece
    that names it; what came before is held back until then.
    """

    def __init__(self) -> None:
        self._calls: list[_Call] = []

    def __bool__(self) -> bool:
        return bool(self._calls)

    def take(self, piece: Mapping[str, Any], answer_id: str | None) -> list[ToolCallPart]:
        """The parts that one entry of `delta.tool_calls` gives."""
        function = piece.get("function")
        if not isinstance(function, Mapping):
            function = piece
        call_id, name = _text(piece.get("id")), _text(function.get("name"))
        arguments = _arguments(function.get("arguments"))
        call = self._find(_number(piece.get("index")), call_id, name, arguments)
        call.call_id = call.call_id or call_id or None
        call.name = call.name or name
        call.arguments.append(arguments)
        if call.begun:
            return [ToolCallPart(call.index, None, None, arguments)] if arguments else []
        call.waiting.append(arguments)
        return [_begin(call, answer_id)] if call.name else []

    def finish(self, answer_id: str | None) -> list[ToolCallPart]:
        """Calls that never got a name begin without one, so that they are not lost."""
        return [_begin(call, answer_id) for call in self._calls if not call.begun]

    def _find(self, key: int | None, call_id: str, name: str, arguments: str) -> _Call:
        """The call that the piece is of; a new one where it is of none."""
        near = [call for call in self._calls if key is None or call.key == key]
        if call_id:
            same = [call for call in near if call.call_id == call_id]
            if not same and not name:  # the index was left out before, or is another one now
                same = [call for call in self._calls if call.call_id == call_id]
            if same and not _is_another(same[-1], name, arguments):
                return same[-1]
            if same or key is None or not near or (name and near[-1].call_id):
                return self._add(key)
            # Its id comes late, or changes from piece to piece.
            return self._add(key) if _is_another(near[-1], name, arguments) else near[-1]
        if not name:
            return near[-1] if near else self._add(key)
        open_ = [call for call in near if not _is_another(call, name, arguments)]
        return open_[-1] if open_ else self._add(key)

    def _add(self, key: int | None) -> _Call:
        call = _Call(len(self._calls), key)
        self._calls.append(call)
        return call


def _is_another(known: _Call, name: str, arguments: str) -> bool:
    """Whether a piece with this name begins another call than the one that may be meant."""
    if not name or not known.name:
        return False
    return name != known.name or (bool(arguments.strip()) and known.is_whole)


def _begin(call: _Call, answer_id: str | None) -> ToolCallPart:
    call.begun = True
    call.call_id = call.call_id or f"call_{answer_id or new_id().hex}_{call.index}"
    arguments, call.waiting = "".join(call.waiting), []
    return ToolCallPart(call.index, call.call_id, call.name, arguments)


def _text(value: Any) -> str:
    return clean(value) if isinstance(value, str) else ""


def _number(value: Any) -> int | None:
    """An index, also as text."""
    if isinstance(value, str) and value.isdecimal():
        return int(value)
    return value if isinstance(value, int) else None


def _arguments(value: Any) -> str:
    """Their text; an object that is empty is mostly one that is still to come."""
    if value is None or value == {}:
        return ""
    return clean(value) if isinstance(value, str) else encode(value).decode()
