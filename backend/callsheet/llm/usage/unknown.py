"""What a usage object says that its dialect does not know."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from callsheet.llm.usage.dialect import UsageDialect
from callsheet.llm.usage.registry import FORMS

_PATHS: Final = {name: form.paths() for name, form in FORMS.items()}
_OBJECTS: Final = {
    name: frozenset(path[:end] for path in paths for end in range(len(path)) if path[end] == ".")
    for name, paths in _PATHS.items()
}


def unknown_keys(raw: Any, dialect: UsageDialect) -> list[str]:
    """The paths that are not known, in order; a vendor may have begun to bill something new.

    A null says nothing and is no finding.
    """
    if not isinstance(raw, Mapping):
        return []
    return list(_unknown(raw, "", _PATHS[dialect], _OBJECTS[dialect]))


def _unknown(
    value: Mapping[str, Any], above: str, paths: frozenset[str], objects: frozenset[str]
) -> Iterator[str]:
    for key, below in value.items():
        path = f"{above}{key}"
        if below is None or path in paths:
            continue
        if path not in objects:
            yield path
        elif isinstance(below, Mapping):
            yield from _unknown(below, f"{path}.", paths, objects)
