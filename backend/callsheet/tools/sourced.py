"""A result together with where it is from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from callsheet.tools.source import Source
from callsheet.tools.tell import Tell


@dataclass(frozen=True, slots=True)
class Sourced:
    """What a tool gives back when its result can be cited."""

    data: Any
    sources: tuple[Source, ...]


def sourced(data: Any, sources: Iterable[Source]) -> Sourced:
    """`data` as any tool gives it, from these sources."""
    return Sourced(data, tuple(sources))


def numbered(value: Any, tell: Tell) -> Any:
    """The result for the model: each source told, and named before the data with its number."""
    if not isinstance(value, Sourced):
        return value
    if not value.sources:
        return value.data
    told = {tell.source(source): source for source in value.sources}
    if not isinstance(value.data, str):
        named = [
            {"number": number, "title": source.title, "url": source.url}
            for number, source in told.items()
        ]
        return {"sources": named, "result": value.data}
    lines = [f"[{number}] {named_source(source)}" for number, source in told.items()]
    return "\n".join(["Sources, to be cited by number:", *lines, "", value.data])


def named_source(source: Source) -> str:
    """Title and address in one line."""
    return f"{source.title} <{source.url}>" if source.title else f"<{source.url}>"
