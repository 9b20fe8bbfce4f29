"""`register_tool`: tools from Python, for programs that start Callsheet themselves.

What is registered is taken in by every registry that is made afterwards: before the server starts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, Unpack, overload

from callsheet.kit.errors import SetupError
from callsheet.tools.function import FunctionTool
from callsheet.tools.offered import tools_in
from callsheet.tools.registered import Registered, remember
from callsheet.tools.tool import Tool
from callsheet.tools.traits import Traits

T = TypeVar("T")


@overload
def register_tool(tool: T, /, **traits: Unpack[Traits]) -> T: ...
@overload
def register_tool(**traits: Unpack[Traits]) -> Callable[[T], T]: ...
def register_tool(tool: Any = None, /, **traits: Unpack[Traits]) -> Any:
    """Register a typed function, a tool or its class, which is returned as it was given.

    As a decorator, with `traits` or without, or as a call. Traits are a function's; a class says
    the same by its attributes. Once more with the same thing changes nothing.

    Raises:
        SetupError: it cannot be a tool.
    """
    if tool is None:
        return lambda given: register_tool(given, **traits)
    remember(Registered(tool, _owner_of(tool), _tool_of(tool, traits)))
    return tool


def _tool_of(given: Any, traits: Traits) -> Tool:
    if callable(given) and not isinstance(given, type) and not isinstance(given, Tool):
        return FunctionTool(given, **traits)
    if traits:
        raise SetupError(f"{given!r} says {', '.join(traits)} by its own attributes.")
    (found,) = tools_in(given)
    if isinstance(found, SetupError):
        raise found
    return found


def _owner_of(given: Any) -> str:
    """The module that it was written in."""
    return str(getattr(given, "__module__", None) or type(given).__module__)
