"""What the built-in tools need of the rooms above and beside them."""

from __future__ import annotations

from dataclasses import dataclass

from callsheet.tools.artifact import Artifacts
from callsheet.tools.builtin.post import Post
from callsheet.tools.builtin.todo_lists import TodoLists
from callsheet.tools.sandbox.options import SandboxOptions
from callsheet.tools.sandbox.protocol import Sandbox
from callsheet.tools.web.engine import SearchEngine
from callsheet.tools.web.fetcher import Fetcher


@dataclass(frozen=True, slots=True)
class BuiltinPorts:
    """`wiring` plugs them in."""

    post: Post
    artifacts: Artifacts
    search: SearchEngine
    fetcher: Fetcher
    sandbox: Sandbox
    sandbox_options: SandboxOptions
    lists: TodoLists
