"""Strict JSON: no NaN, no Infinity, UTF-8 only."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import msgspec

from callsheet.kit.text import clean


def _foreign(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Decimal):
        return format(value, "f") if value.is_finite() else None
    if isinstance(value, (datetime, date)):
        return value.isoformat()
    if isinstance(value, (set, frozenset)):
        return sorted(value, key=str)
    if isinstance(value, (bytes, bytearray)):
        return bytes(value).decode("utf-8", "replace")
    return str(value)


_encoder = msgspec.json.Encoder(enc_hook=_foreign, decimal_format="string")


def encode(value: Any) -> bytes:
    """`value` as strict JSON. Non-finite numbers become null, lone surrogates U+FFFD."""
    try:
        return _encoder.encode(value)
    except UnicodeEncodeError:
        return _encoder.encode(cleaned(value))


def decode(data: bytes | str) -> Any:
    """The value that `data` spells; raises ValueError where it is not JSON.

    A lone surrogate escape, which a strict reader refuses, becomes U+FFFD.
    """
    try:
        return msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return cleaned(json.loads(data, parse_constant=_refuse))


def decode_as_is(data: bytes | str) -> Any:
    """`decode` for a caller that tells what it replaced: lone surrogates are still there."""
    try:
        return msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return json.loads(data, parse_constant=_refuse)


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def cleaned(value: Any) -> Any:
    """The same value with every string in it as Postgres can hold it, keys included."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {clean(str(key)): cleaned(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [cleaned(item) for item in value]
    return value
