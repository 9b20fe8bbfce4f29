"""What a server answered, as a result that a model can read."""

from __future__ import annotations

import binascii
import json as lax_json
import re
from base64 import b64decode
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from callsheet.kit.redact import MASK
from callsheet.tools.mcp.protocol import Answer
from callsheet.tools.result import result_text

_SHORTEST_SECRET: Final = 6
_NOT_STRICT: Final = re.compile(r"\b(?:NaN|Infinity)\b")
_NOTHING: Final = "It answered without saying anything."


@dataclass(frozen=True, slots=True)
class Blob:
    """Bytes that came with an answer."""

    media_type: str
    data: bytes
    name: str = ""


Describe = Callable[[Blob], Awaitable[str]]
"""What the model is told in the place of bytes."""


async def text_of(answer: Answer, describe: Describe) -> str:
    """Its texts in their order; the structured value only where there is nothing else."""
    parts = [part for block in answer.blocks if (part := await _part(block, describe))]
    if not parts and answer.structured is not None:
        return result_text(answer.structured)
    return "\n".join(parts) or _NOTHING


def masked(text: str, secrets: Iterable[str]) -> str:
    """The text without any of these values."""
    for secret in secrets:
        if len(secret) >= _SHORTEST_SECRET:
            text = text.replace(secret, MASK)
    return text


async def _part(block: Mapping[str, Any], describe: Describe) -> str:
    match block:
        case {"type": "text", "text": str(text)}:
            return _strict(text)
        case {"type": "image" | "audio", "data": str(data)}:
            return await _blob(block, data, describe)
        case {"type": "resource", "resource": {"text": str(text)}}:
            return text
        case {"type": "resource", "resource": {"blob": str(data)}}:
            return await _blob(block["resource"], data, describe)
        case {"type": "resource_link", "uri": str(uri)}:
            said = [str(block[key]) for key in ("name", "description") if block.get(key)]
            return " - ".join([*said, uri])
    return f"[{str(block.get('type', 'something'))[:40]}, not shown]"


async def _blob(block: Mapping[str, Any], data: str, describe: Describe) -> str:
    media_type = str(block.get("mimeType") or "application/octet-stream")[:100]
    try:
        content = b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        return f"[{media_type}, which could not be read]"
    name = str(block.get("uri") or block.get("name") or "")
    return await describe(Blob(media_type, content, name.rpartition("/")[2][:100]))


def _strict(text: str) -> str:
    """Text that is JSON but for numbers that are none, as JSON; any other as it is."""
    if text[:1] not in ("{", "[") or not _NOT_STRICT.search(text):
        return text
    try:
        return result_text(lax_json.loads(text))
    except (ValueError, RecursionError):
        return text
