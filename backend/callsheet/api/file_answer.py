"""A file that somebody else made, as an answer that no browser takes for a page of ours."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import quote

from fastapi import Request
from fastapi.responses import Response, StreamingResponse

_CHUNK_BYTES: Final = 262_144
_RANGE: Final = re.compile(r"bytes=(\d{0,18})-(\d{0,18})")
_UNQUOTED: Final = re.compile(r'[^\x20-\x7e]|["\\%]')
_GUARDS: Final = {
    # Opened by itself it has an origin of its own, runs nothing and loads nothing.
    "Content-Security-Policy": "sandbox; default-src 'none'; style-src 'unsafe-inline'; "
    "frame-ancestors 'none'; form-action 'none'; base-uri 'none'",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Resource-Policy": "same-site",
    "Referrer-Policy": "no-referrer",
    # The owner's browser may keep it, and asks each time whether it is still theirs to see.
    "Cache-Control": "private, no-cache",
}


@dataclass(frozen=True, slots=True)
class FileToSend:
    """A file of `size_bytes` at `path`, which never changes: `sha256` in hex says which it is."""

    path: Path
    name: str
    media_type: str
    size_bytes: int
    sha256: str


def file_answer(request: Request, file: FileToSend, *, inline: bool) -> Response:
    """The file, a part of it, or that the caller has it already.

    `inline`: a browser may show it in its place; else it is saved. A range that is not one simple
    part of the file is not heeded, as HTTP leaves open.
    """
    tag = f'"{file.sha256}"'
    headers = {
        **_GUARDS,
        "ETag": tag,
        "Accept-Ranges": "bytes",
        "Content-Disposition": disposition("inline" if inline else "attachment", file.name),
    }
    if not {tag, "*"}.isdisjoint(_tags(request.headers.get("if-none-match"))):
        return Response(status_code=304, headers=headers)
    part = None
    if request.headers.get("if-range") in (None, tag):
        part = _part(request.headers.get("range"), file.size_bytes)
    start, end = part or (0, file.size_bytes)
    if part is not None:
        headers["Content-Range"] = f"bytes {start}-{end - 1}/{file.size_bytes}"
    headers["Content-Length"] = str(end - start)
    return StreamingResponse(
        _read(file.path, start, end),
        status_code=200 if part is None else 206,
        media_type=file.media_type,  # a charset is put behind text/*
        headers=headers,
    )


def disposition(kind: str, name: str) -> str:
    """Content-Disposition as RFC 6266 has it: a plain name for old clients, and the real one."""
    last = name.rpartition("/")[2]
    plain = _UNQUOTED.sub("_", last)
    found = f'{kind}; filename="{plain}"'
    return found if plain == last else f"{found}; filename*=UTF-8''{quote(last, safe='')}"


def _tags(header: str | None) -> list[str]:
    return [tag.strip().removeprefix("W/") for tag in (header or "").split(",")]


def _part(header: str | None, size: int) -> tuple[int, int] | None:
    """First byte and the one behind the last; None where the whole file is to be sent."""
    found = _RANGE.fullmatch((header or "").replace(" ", ""))
    if found is None or not (found[1] or found[2]):
        return None
    if not found[1]:
        start, end = max(size - int(found[2]), 0), size
    else:
        start, end = int(found[1]), min(int(found[2]) + 1, size) if found[2] else size
    return (start, end) if start < end else None


async def _read(path: Path, start: int, end: int) -> AsyncIterator[bytes]:
    file = await asyncio.to_thread(path.open, "rb")
    try:
        await asyncio.to_thread(file.seek, start)
        left = end - start
        while left > 0:
            data = await asyncio.to_thread(file.read, min(left, _CHUNK_BYTES))
            if not data:
                return
            left -= len(data)
            yield data
    finally:
        file.close()
