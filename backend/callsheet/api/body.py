"""Bodies and query parameters: small, strict, each fault named by its field."""

from __future__ import annotations

import re
from typing import TypeVar

import msgspec
from fastapi import Request

from callsheet.kit.errors import BadInput
from callsheet.kit.json import decode
from callsheet.kit.pages import DEFAULT_PAGE, LARGEST_PAGE, PageRequest

T = TypeVar("T")
# The only pattern of our documents is that of money.
_MATCHING = re.compile(r"^Expected `str` matching regex '.*'(?= - at |$)")
_AT_PATH = re.compile(r" - at `\$\.?([^`]*)`$")


async def read_fields(request: Request, kind: type[T]) -> T:
    """The body as a record of `kind` (a msgspec Struct); an absent body is an empty object."""
    body = await request.body()
    try:
        return msgspec.convert(decode(body or b"{}"), kind)
    except msgspec.ValidationError as error:
        raise _mistake(str(error)) from error
    except (ValueError, RecursionError) as error:
        raise BadInput("The body is not valid JSON.", field="", code="invalid_json") from error


def read_page(limit: str | None, cursor: str | None) -> PageRequest:
    """The page that `?limit=&cursor=` asks for."""
    if limit is None:
        return PageRequest(limit=DEFAULT_PAGE, cursor=cursor)
    if not limit.isdecimal() or len(limit) > 9 or not 1 <= int(limit) <= LARGEST_PAGE:
        raise BadInput(f"limit must be a number from 1 to {LARGEST_PAGE}.", field="limit")
    return PageRequest(limit=int(limit), cursor=cursor)


def _mistake(text: str) -> BadInput:
    text = _MATCHING.sub("Expected an amount as text, such as `12.50`", text)
    found = _AT_PATH.search(text)
    if found is not None:
        field = found[1].replace(".", "/")
        return BadInput(f"{field}: {text[: found.start()]}.", field=field)
    missing = re.search(r"(?:required|unknown) field `([^`]*)`", text)
    return BadInput(f"{text}.", field=missing[1] if missing else "")
