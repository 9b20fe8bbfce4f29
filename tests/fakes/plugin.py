"""Installed packages that offer tools, without an installer: what one leaves on disk."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from textwrap import dedent, indent

GROUP = "callsheet.tools"
HEAD = """
from pydantic import BaseModel

class Args(BaseModel):
    pass

"""

Install = Callable[..., None]


def a_tool(name: str, extra: str = "") -> str:
    """The source of a class that is a tool and answers with its name."""
    body = f"""
    name = {name!r}
    description = "Answers with its name."
    Args = Args

    async def run(self, args, ctx):
        return {name!r}
"""
    return f"class {name.title().replace('_', '')}:{body}{indent(dedent(extra), '    ')}\n"


@contextmanager
def packages(folder: Path) -> Iterator[Install]:
    """What is installed inside the block is found there, and forgotten after it."""
    sys.path.insert(0, str(folder))
    made: list[str] = []

    def install(distribution: str, source: str, *, group: str = GROUP, **entries: str) -> None:
        """A distribution whose module, of the same name with `_`, is `source`."""
        module = distribution.replace("-", "_")
        made.append(module)
        (folder / f"{module}.py").write_text(HEAD + dedent(source), "utf-8")
        info = folder / f"{module}-1.0.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.0\n", "utf-8"
        )
        lines = [f"{name} = {module}:{where}" for name, where in entries.items()]
        (info / "entry_points.txt").write_text("\n".join([f"[{group}]", *lines, ""]), "utf-8")

    try:
        yield install
    finally:
        sys.path.remove(str(folder))
        for name in made:
            sys.modules.pop(name, None)
