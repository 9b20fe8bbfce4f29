"""What a tool gave back, as the text that the model and the journal get."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from pydantic import BaseModel

from callsheet.kit import json
from callsheet.kit.text import clean


def result_text(value: Any) -> str:
    """Text as it is, anything else as strict JSON (NaN and Infinity become null)."""
    if isinstance(value, str):
        return clean(value)
    return json.encode(_plain(value)).decode()


def clipped(text: str, *, max_chars: int) -> str:
    """The text, cut at `max_chars` characters with a note that says so."""
    if len(text) <= max_chars:
        return text
    return f"{text[:max_chars]}\n[cut here: the first {max_chars} of {len(text)} characters]"


def _plain(value: Any) -> Any:
    """The value with each container and record opened, down to what the encoder knows."""
    if isinstance(value, BaseModel):
        value = value.model_dump()
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (set, frozenset)):
        value = sorted(value, key=str)
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, (bytes, bytearray)):
        return bytes(value).decode("utf-8", "replace")
    return None if isinstance(value, Decimal) and not value.is_finite() else value
