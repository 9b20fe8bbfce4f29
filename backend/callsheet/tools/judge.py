"""Whether a thing that was brought can be offered to a model."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from pydantic import BaseModel

from callsheet.kit.errors import SetupError
from callsheet.tools.facts import Origin, ToolFacts, facts_of
from callsheet.tools.schema import function_schema
from callsheet.tools.tool import Tool

_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
_TEXTS: Final = ("group", "summary")
_TEXTS_OR_NONE: Final = ("side_effect", "instructions")
_FLAGS: Final = ("idempotent", "requires_approval")


@dataclass(frozen=True, slots=True)
class Entry:
    """A tool that was judged, with what a model and people see of it."""

    tool: Tool
    facts: ToolFacts
    schema: Mapping[str, Any]


def judged(tool: Tool, *, owner: str, origin: Origin) -> Entry:
    """The tool as a registry keeps it.

    Raises:
        SetupError: name, description, arguments or what it says of itself cannot be used.
    """
    name: object = tool.name
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise SetupError(
            f"{owner} brings a tool called {name!r}; a name has 1 to 64 letters, "
            "digits, '_' or '-', or the model's provider refuses it."
        )
    wrong = next(_wrong(tool), None)
    if wrong is not None:
        raise SetupError(f"The tool {name!r} of {owner} cannot be used: {wrong}.")
    schema = function_schema(tool)
    facts = facts_of(tool, schema["function"]["parameters"], owner=owner, origin=origin)
    return Entry(tool, facts, MappingProxyType(schema))


def _wrong(tool: Tool) -> Iterator[str]:
    description: object = tool.description
    if not isinstance(description, str) or not description.strip():
        yield "it has no description, and a model knows nothing else of it"
    args: object = tool.Args
    if not isinstance(args, type) or not issubclass(args, BaseModel):
        yield "its Args is no Pydantic model"
    run: Any = tool.run
    if not any(inspect.iscoroutinefunction(each) for each in (run, inspect.unwrap(run))):
        yield "its run is not `async def`"
    for name in (*_TEXTS, *_TEXTS_OR_NONE):
        said = getattr(tool, name, "")
        if not isinstance(said, str) and not (said is None and name in _TEXTS_OR_NONE):
            yield f"its {name} is no text"
    for name in _FLAGS:
        if not isinstance(getattr(tool, name, False), bool):
            yield f"its {name} is neither True nor False"
    timeout_s = getattr(tool, "timeout_s", None)
    if timeout_s is not None and not _is_time(timeout_s):
        yield "its timeout_s is no number of seconds above 0"
    label = getattr(tool, "label", {})
    if not isinstance(label, Mapping) or not all(
        isinstance(each, str) for pair in label.items() for each in pair
    ):
        yield "its label is no mapping of languages to texts"


def _is_time(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value > 0
