"""Takes secrets out of what is about to be written down: by the name of a key, by the look of a
value, and by what this deployment's secrets are known to be.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

MASK: Final = "***"
_MIN_LENGTH: Final = 8
_MAX_DEPTH: Final = 8

# `token` only at the end, so that input_tokens and token_count stay readable.
_SECRET_KEY: Final = re.compile(
    r"secret|authorization|passw(?:or)?d|credential|api[-_]?key|private[-_]?key"
    r"|(?:^|[-_])(?:token|cookie|bearer)$",
    re.IGNORECASE,
)
# Anybody's text comes through here, so no part may try the same stretch from many places: a token
# begins where none is under way, and a user's name before a password holds no colon.
_SECRET_VALUE: Final = re.compile(
    r"\b(?:sk|pk|rk|csk|ghp|gho|xox[abp])[-_][A-Za-z0-9_\-]{8,}"
    r"|(?<=Bearer )[^\s\"']{8,}"
    r"|(?<![A-Za-z0-9_\-])eyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]+\.[A-Za-z0-9_\-]*"
    r"|(?<=://)[^\s/@:\"']*+:[^\s/@\"']++(?=@)",
    re.IGNORECASE,
)


class Redactor:
    """Masks secrets in nested plain data; `known` are values that are secret wherever they are."""

    def __init__(self, known: Iterable[str] = ()) -> None:
        worth_hiding = sorted({each for each in known if len(each) >= _MIN_LENGTH}, key=len)
        pattern = "|".join(re.escape(each) for each in reversed(worth_hiding))
        self._known = re.compile(pattern) if pattern else None

    def text(self, text: str) -> str:
        """The text with everything masked that looks like a key or is known to be one."""
        if self._known is not None:
            text = self._known.sub(MASK, text)
        return _SECRET_VALUE.sub(MASK, text)

    def mapping(self, values: Mapping[str, Any], depth: int = 0) -> dict[str, Any]:
        """The mapping with secret keys' values masked, and the rest looked through."""
        return {
            key: MASK if _is_secret(key, value) else self.value(value, depth)
            for key, value in values.items()
        }

    def value(self, value: Any, depth: int = 0) -> Any:
        """Any plain value; what is nested deeper than eight levels becomes its masked text."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, int | float | bool | None):
            return value
        if depth >= _MAX_DEPTH:
            return self.text(str(value))
        if isinstance(value, Mapping):
            return self.mapping({str(key): item for key, item in value.items()}, depth + 1)
        if isinstance(value, list | tuple | set | frozenset):
            return [self.value(item, depth + 1) for item in value]
        return self.text(str(value))


def _is_secret(key: str, value: Any) -> bool:
    return value is not None and not isinstance(value, bool) and bool(_SECRET_KEY.search(key))
