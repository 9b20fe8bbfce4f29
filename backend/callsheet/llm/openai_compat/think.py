"""Tells `<think>...</think>` at the start of an answer from the answer itself."""

from __future__ import annotations

from typing import Final, Literal

from callsheet.llm.chat import ReasoningPart, TextPart

_OPEN: Final = "<think>"
_CLOSE: Final = "</think>"


class ThinkSplitter:
    """Fed with the answer's text in pieces; holds back no more than a tag that may be cut.

    Only a tag that the answer begins with, after white space at most, counts: a later one is
    text. White space after either tag is dropped. A tag that is never closed makes the whole
    answer reasoning.
    """

    def __init__(self) -> None:
        self._held = ""
        self._state: Literal["start", "opened", "inside", "closed", "text"] = "start"

    def feed(self, text: str) -> list[TextPart | ReasoningPart]:
        """What is decided now, in order."""
        parts: list[TextPart | ReasoningPart] = []
        self._held += text
        if self._state == "start":
            self._start()
        if self._state == "opened":
            self._drop_space("inside")
        if self._state == "inside":
            self._inside(parts)
        if self._state == "closed":
            self._drop_space("text")
        if self._state == "text" and self._held:
            parts.append(TextPart(self._held))
            self._held = ""
        return parts

    def finish(self) -> list[TextPart | ReasoningPart]:
        """What was held back when the answer ended."""
        held, self._held = self._held, ""
        if not held or self._state in {"opened", "closed"}:
            return []
        return [ReasoningPart(held) if self._state == "inside" else TextPart(held)]

    @property
    def passive(self) -> bool:
        """True once the rest of the answer is text, whatever comes."""
        return self._state == "text" and not self._held

    def _start(self) -> None:
        begun = self._held.lstrip()
        if begun.startswith(_OPEN):
            self._state, self._held = "opened", begun[len(_OPEN) :]
        elif not _OPEN.startswith(begun):
            self._state = "text"

    def _drop_space(self, then: Literal["inside", "text"]) -> None:
        self._held = self._held.lstrip()
        if self._held:
            self._state = then

    def _inside(self, parts: list[TextPart | ReasoningPart]) -> None:
        thought, tag, rest = self._held.partition(_CLOSE)
        if tag:
            self._state, self._held = "closed", rest
        else:
            keep = _cut_tag(thought)
            thought, self._held = thought[: len(thought) - keep], thought[len(thought) - keep :]
        if thought:
            parts.append(ReasoningPart(thought))


def _cut_tag(text: str) -> int:
    """How many characters at the end of `text` may be the beginning of the closing tag."""
    for size in range(min(len(_CLOSE) - 1, len(text)), 0, -1):
        if _CLOSE.startswith(text[-size:]):
            return size
    return 0
