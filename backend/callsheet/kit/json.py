"""Strict JSON: no NaN, no Infinity, UTF-8 only."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import msgspec

from callsheet.kit.text import clean


def _foreign(value: Any) -> Any:
    return dict(value) if isinstance(value, Mapping) else str(value)


_encoder = msgspec.json.Encoder(enc_hook=_foreign, decimal_format="string")


def encode(value: Any) -> bytes:
    """`value` as strict JSON. Non-finite floats become null, lone surrogates U+FFFD.

    Decimals are strings, bytes base64, sets lists; what JSON has no form for is its `str`.
    """
    try:
        return _encoder.encode(value)
    except UnicodeEncodeError:
        plain = msgspec.to_builtins(value, str_keys=True, enc_hook=_foreign)
        return _encoder.encode(cleaned(plain))


def decode(data: bytes | str) -> Any:
    """The value that `data` spells; raises ValueError where it is not JSON.

    A lone surrogate escape, which a strict reader refuses, becomes U+FFFD.
    """
    try:
        return msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return cleaned(_lenient(data))


def decode_as_is(data: bytes | str) -> Any:
    """`decode` for a caller that tells what it replaced: lone surrogates are still there."""
    try:
        return msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return _lenient(data)


def _lenient(data: bytes | str) -> Any:
    """What the standard reader makes of it, in UTF-8 alone: it would guess other encodings."""
    text = data if isinstance(data, str) else data.decode("utf-8-sig", "surrogatepass")
    return json.loads(text, parse_constant=_refuse)


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def is_deeper(value: Any, levels: int) -> bool:
    """Whether lists and objects stand in one another more than `levels` times.

    Readers differ in what they take, and Python's own limit is moved by libraries.
    """
    inside = [value]
    for _ in range(levels):
        inside = [
            item
            for each in inside
            if isinstance(each, (dict, list, tuple))
            for item in (each.values() if isinstance(each, dict) else each)
        ]
        if not inside:
            return False
    return any(isinstance(each, (dict, list, tuple)) for each in inside)


def cleaned(value: Any) -> Any:
    """The same value with every string in it as Postgres can hold it, keys included."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {clean(str(key)): cleaned(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [cleaned(item) for item in value]
    return value
