"""A title from the first message, without a model call."""

from __future__ import annotations

import unicodedata
from datetime import datetime
from typing import Final

MAX_VISIBLE: Final = 24


def title_of(text: str, now: datetime, word: str) -> str:
    """The first 24 visible characters of `text`, white space folded.

    A character is what a reader sees as one: marks, joiners and what they join count once.
    Without any visible character: `word` and the moment, as in `新对话 2026-11-30 08:15`.
    """
    folded = " ".join(text.split())
    title = "".join(_first_visible(folded)).strip()
    return title or f"{word} {now:%Y-%m-%d %H:%M}"


def _first_visible(text: str) -> list[str]:
    shown: list[str] = []
    count = 0
    joined = False
    for char in text:
        category = unicodedata.category(char)
        if category == "Cf" and char != "\u200d":
            continue
        if category in {"Cc", "Cs", "Co", "Cn"}:
            continue
        extends = (
            category in {"Mn", "Me", "Mc"} or char == "\u200d" or 0x1F3FB <= ord(char) <= 0x1F3FF
        )
        if not extends and not joined:
            if count == MAX_VISIBLE:
                break
            count += 1
        if extends and not shown:
            continue
        shown.append(char)
        joined = char == "\u200d"
    return shown
