"""The tools that ship with the product: whatever the modules of this package offer."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator, Sequence

from callsheet.tools import builtin
from callsheet.tools.builtin.ports import BuiltinPorts
from callsheet.tools.tool import Tool

Offer = Callable[[BuiltinPorts], Sequence[Tool]]
"""What a module with tools has under the name `offer`."""


def builtin_tools(ports: BuiltinPorts) -> tuple[Tool, ...]:
    """All of them, in the order of their modules' names."""
    return tuple(tool for offer in offers() for tool in offer(ports))


def offers() -> Iterator[Offer]:
    """The function `offer` of every module here that has one."""
    for module in sorted(pkgutil.iter_modules(builtin.__path__), key=lambda found: found.name):
        loaded = importlib.import_module(f"{builtin.__name__}.{module.name}")
        offer: Offer | None = getattr(loaded, "offer", None)
        if offer is not None:
            yield offer
