"""The `{name}` marks in an author's text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

_MARK: Final = re.compile(r"\{\{([A-Za-z_][A-Za-z0-9_]*)\}\}|\{([A-Za-z_][A-Za-z0-9_]*)\}")


def marks(text: str) -> tuple[str, ...]:
    """The names that stand in braces, in order, each once; `{{name}}` is not one."""
    found = (match[2] for match in _MARK.finditer(text))
    return tuple(dict.fromkeys(name for name in found if name))


def fill(text: str, values: Mapping[str, str]) -> str:
    """The text with each mark of `values` replaced, in one pass.

    What is put in is not looked at again. `{{name}}` becomes `{name}`; every other brace stays.
    """

    def instead(match: re.Match[str]) -> str:
        if match[1]:
            return f"{{{match[1]}}}"
        return values.get(match[2], match[0])

    return _MARK.sub(instead, text)
