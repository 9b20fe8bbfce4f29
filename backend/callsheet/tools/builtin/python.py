"""Python in a container, among the built-in tools."""

from __future__ import annotations

from collections.abc import Sequence

from callsheet.tools.builtin.ports import BuiltinPorts
from callsheet.tools.sandbox.python_executor import PythonExecutor
from callsheet.tools.tool import Tool


def offer(ports: BuiltinPorts) -> Sequence[Tool]:
    """The tool."""
    return (PythonExecutor(ports.sandbox, ports.artifacts, ports.sandbox_options),)
