"""The kinds of values that the YAML of workflows is made of."""

from __future__ import annotations

import re
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, Field, WithJsonSchema

from callsheet.llm.errors import ProviderCode

_NAME: Final = r"^[a-z][a-z0-9_]{0,39}$"
_LANGUAGE: Final = r"^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$"
FOLDER_NAME: Final = re.compile(r"[a-z][a-z0-9_-]{0,39}")

_CEL_RESERVED: Final = frozenset(
    {
        *("as", "break", "const", "continue", "else", "false", "for", "function", "if", "import"),
        *("in", "let", "loop", "namespace", "null", "package", "return", "true", "var", "void"),
        "while",
    }
)

RetryCode = Literal[
    ProviderCode, "invalid_output", "stage_timeout", "iteration_timeout", "iteration_limit"
]
"""Why a stage's attempt failed."""


def _name(value: str) -> str:
    if not re.match(_NAME, value):
        raise ValueError(
            f"{value!r} is no legal name: up to 40 lower-case letters, digits and '_', "
            "beginning with a letter"
        )
    if value in _CEL_RESERVED:
        raise ValueError(f"{value!r} is a word of the rule language and cannot be a name")
    return value


def _text(value: str) -> str:
    if not value.strip():
        raise ValueError("must not be empty")
    return value


def _language(value: str) -> str:
    if not re.match(_LANGUAGE, value):
        raise ValueError(f"{value!r} is no language tag such as en or zh-CN")
    return value


Name = Annotated[str, AfterValidator(_name), WithJsonSchema({"type": "string", "pattern": _NAME})]
Text = Annotated[str, AfterValidator(_text), WithJsonSchema({"type": "string", "pattern": r"\S"})]
Language = Annotated[
    str, AfterValidator(_language), WithJsonSchema({"type": "string", "pattern": _LANGUAGE})
]
Label = Annotated[dict[Language, Text], Field(description="A name for people, per language.")]
OnDisconnect = Literal["detach", "cancel"]
"""What becomes of a run that nobody looks at any more: it goes on, or is stopped."""
Seconds = Annotated[float, Field(gt=0, le=86_400)]
Grace = Annotated[float, Field(ge=0, le=86_400)]
AnswerSeconds = Annotated[float, Field(ge=60, le=2_592_000)]
