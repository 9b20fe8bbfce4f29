"""What built-in tools need, where nobody looks at what they do with it."""

from __future__ import annotations

from callsheet.tools.builtin.ports import BuiltinPorts
from tests.fakes.post import NoPost


def no_ports() -> BuiltinPorts:
    return BuiltinPorts(post=NoPost())
