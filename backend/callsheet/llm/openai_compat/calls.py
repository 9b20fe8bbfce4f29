"""Puts the tool calls of one answer in order, however a provider numbers them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from callsheet.kit.ids import new_id
from callsheet.kit.json import encode
from callsheet.kit.text import clean
from callsheet.llm.chat import ToolCallPart


@dataclass(slots=True)
class _Call:
    index: int
    call_id: str | None = None
    name: str = ""
    waiting: list[str] = field(default_factory=list)
    begun: bool = False


class ToolCalls:
    """Gives each call one index, one id and one beginning.

    Providers leave out the index or the id, give every parallel call index 0, repeat the name
    on each piece, or send the name after the id. A call begins with the piece that names it;
    what came before is held back until then.
    """

    def __init__(self) -> None:
        self._calls: list[_Call] = []
        self._by_key: dict[int, _Call] = {}

    def __bool__(self) -> bool:
        return bool(self._calls)

    def take(self, piece: Mapping[str, Any], answer_id: str | None) -> list[ToolCallPart]:
        """The parts that one entry of `delta.tool_calls` gives."""
        function = piece.get("function")
        if not isinstance(function, Mapping):
            function = piece
        call_id, name = _text(piece.get("id")), _text(function.get("name"))
        call = self._find(piece.get("index"), call_id, name)
        call.call_id = call.call_id or call_id or None
        call.name = call.name or name
        arguments = _arguments(function.get("arguments"))
        if call.begun:
            return [ToolCallPart(call.index, None, None, arguments)] if arguments else []
        call.waiting.append(arguments)
        return [_begin(call, answer_id)] if call.name else []

    def finish(self, answer_id: str | None) -> list[ToolCallPart]:
        """Calls that never got a name begin without one, so that they are not lost."""
        return [_begin(call, answer_id) for call in self._calls if not call.begun]

    def _find(self, index: Any, call_id: str, name: str) -> _Call:
        if isinstance(index, int):
            known = self._by_key.get(index)
            if known is None or _another(known, call_id, name):
                known = self._by_key[index] = self._add()
            return known
        if call_id:
            same = [call for call in self._calls if call.call_id == call_id]
            return same[0] if same else self._add()
        if self._calls and not (name and self._calls[-1].name):
            return self._calls[-1]
        return self._add()

    def _add(self) -> _Call:
        call = _Call(len(self._calls))
        self._calls.append(call)
        return call


def _another(known: _Call, call_id: str, name: str) -> bool:
    return bool(call_id and known.call_id and call_id != known.call_id and name)


def _begin(call: _Call, answer_id: str | None) -> ToolCallPart:
    call.begun = True
    call.call_id = call.call_id or f"call_{answer_id or new_id().hex}_{call.index}"
    arguments, call.waiting = "".join(call.waiting), []
    return ToolCallPart(call.index, call.call_id, call.name, arguments)


def _text(value: Any) -> str:
    return clean(value) if isinstance(value, str) else ""


def _arguments(value: Any) -> str:
    if value is None:
        return ""
    return clean(value) if isinstance(value, str) else encode(value).decode()
