"""A title from the first message, without a model call."""

from __future__ import annotations

import unicodedata
from datetime import datetime
from typing import Final

MAX_VISIBLE: Final = 24
MAX_STORED: Final = 255
"""Code points that the column holds: one visible character may have any number of them."""

_JOINER: Final = "\u200d"
_JOINERS: Final = "\u200c\u200d"


def title_of(text: str, now: datetime, word: str) -> str:
    """The first 24 visible characters of `text`, white space folded.

    A character is what a reader sees as one: marks, joiners and what they join, and the two
    halves of a flag count once. Without any visible character: `word` and the moment, as in
    `新对话 2026-11-30 08:15`.
    """
    folded = " ".join(text.split())
    title = "".join(_first_visible(folded)).strip(f" {_JOINERS}")
    return title or f"{word} {now:%Y-%m-%d %H:%M}"


def _first_visible(text: str) -> list[str]:
    shown: list[str] = []
    count = begun_at = 0
    joined = half_flag = False
    for char in text:
        if _is_hidden(char) or (char == " " and shown[-1:] == [" "]):
            continue
        extends = _extends(char)
        if extends and not shown:
            continue
        completes = half_flag and _is_flag_half(char)
        if not (extends or joined or completes):
            if count == MAX_VISIBLE:
                break
            count += 1
            begun_at = len(shown)
        if len(shown) == MAX_STORED:
            return shown[:begun_at] or shown
        shown.append(char)
        joined = char == _JOINER
        half_flag = _is_flag_half(char) and not completes
    return shown


def _is_hidden(char: str) -> bool:
    """Control, format and private characters. What this Python's tables do not know yet is shown:
    it may be next year's emoji.
    """
    category = unicodedata.category(char)
    if category == "Cn":
        code = ord(char)
        return code & 0xFFFE == 0xFFFE or 0xFDD0 <= code <= 0xFDEF
    return category in {"Cc", "Cs", "Co"} or (category == "Cf" and char not in _JOINERS)


def _extends(char: str) -> bool:
    """Whether it is part of the character before it: marks, joiners, skin tones."""
    if char in _JOINERS or 0x1F3FB <= ord(char) <= 0x1F3FF:
        return True
    return unicodedata.category(char) in {"Mn", "Me", "Mc"}


def _is_flag_half(char: str) -> bool:
    return 0x1F1E6 <= ord(char) <= 0x1F1FF
