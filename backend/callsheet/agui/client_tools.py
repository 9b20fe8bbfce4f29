"""The tools that a client brings, as it wrote them."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Any, Final

from callsheet.kit.errors import BadInput, TooLarge
from callsheet.kit.json import encode
from callsheet.tools.client_tool import ClientTool

MOST_TOOLS: Final = 64
MOST_BYTES: Final = 200_000
_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
_NONE: Final = {"type": "object", "properties": {}}


def client_tools(given: Sequence[dict[str, Any]], ours: Collection[str]) -> tuple[ClientTool, ...]:
    """The definitions of a request; `ours` are names that are taken.

    Raises:
        BadInput: one cannot be offered to a model; `field` says which and why. With the code
            `tool_name_taken` where it has the name of another tool.
        TooLarge: all together are too much.
    """
    if len(given) > MOST_TOOLS:
        raise BadInput(f"tools has more than {MOST_TOOLS} entries.", field="tools")
    size = len(encode(list(given)))
    if size > MOST_BYTES:
        raise TooLarge(
            f"tools has {size} bytes; the limit is {MOST_BYTES}.", field="tools", limit=MOST_BYTES
        )
    taken = set(ours)
    tools: list[ClientTool] = []
    for place, item in enumerate(given):
        tool = _tool(item, f"tools/{place}")
        if tool.name in taken:
            raise BadInput(
                f"tools/{place}/name: there is another tool called {tool.name!r} here; "
                "give yours another name.",
                field=f"tools/{place}/name",
                code="tool_name_taken",
            )
        taken.add(tool.name)
        tools.append(tool)
    return tuple(tools)


def _tool(item: dict[str, Any], field: str) -> ClientTool:
    name = item.get("name")
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise BadInput(
            f"{field}/name has 1 to 64 letters, digits, '_' or '-'.", field=f"{field}/name"
        )
    description = item.get("description") or ""
    if not isinstance(description, str):
        raise BadInput(f"{field}/description must be a string.", field=f"{field}/description")
    parameters = item.get("parameters") or _NONE
    if not isinstance(parameters, dict):
        raise BadInput(f"{field}/parameters must be a JSON schema.", field=f"{field}/parameters")
    return ClientTool(name, description, parameters)
