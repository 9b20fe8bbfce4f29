"""From what a package offers to tools."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from callsheet.kit.errors import SetupError
from callsheet.tools.function import FunctionTool
from callsheet.tools.registered import registered_as
from callsheet.tools.tool import Tool

_DEEPEST: Final = 4


def tools_in(value: Any, *, deep: int = 0) -> Iterator[Tool | SetupError]:
    """Each tool that `value` offers, or why it is none; one bad thing takes no other away.

    A tool; the class of one, made without arguments; a typed function with parameters; a callable
    without any, which is asked for one of these; or an iterable of these.
    """
    known = registered_as(value)
    if known is not None:
        yield known  # with the traits that it was registered with
    elif deep > _DEEPEST:
        yield SetupError("Factories and lists of tools are nested too deeply.")
    elif isinstance(value, type):
        yield from _asked(value, deep)
    elif isinstance(value, Tool):
        yield value
    elif inspect.isroutine(value) and inspect.signature(value).parameters:
        try:
            yield FunctionTool(value)
        except SetupError as error:
            yield error
    elif callable(value):
        yield from _asked(value, deep)
    elif isinstance(value, Iterable) and not isinstance(value, (str, bytes, Mapping)):
        yield from _each(value, deep)
    else:
        yield SetupError(
            f"{_shown(value)} is no tool, no class or factory of one, and no list of these."
        )


def _asked(factory: Any, deep: int) -> Iterator[Tool | SetupError]:
    try:
        made = factory()
    except (Exception, SystemExit) as error:  # noqa: BLE001 - the border: somebody else's code
        yield SetupError(f"{_shown(factory)} could not be made: {_why(error)}")
        return
    if isinstance(factory, type) and not isinstance(made, Tool):
        yield SetupError(f"The class {_shown(factory)} is no tool: {lacking(made)}.")
        return
    yield from tools_in(made, deep=deep + 1)


def _each(values: Iterable[Any], deep: int) -> Iterator[Tool | SetupError]:
    try:
        given = list(values)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - the border: somebody else's code
        yield SetupError(f"{_shown(values)} could not be read: {_why(error)}")
        return
    for each in given:
        yield from tools_in(each, deep=deep + 1)


def lacking(value: Any) -> str:
    """What makes it no tool."""
    wanted = ("name", "description", "Args", "run")
    return "it lacks " + ", ".join(name for name in wanted if not hasattr(value, name))


def _shown(value: Any) -> str:
    return str(getattr(value, "__qualname__", None) or repr(value)[:80])


def _why(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"
