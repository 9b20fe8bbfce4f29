"""How an MCP server stands, for whoever runs the deployment."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from callsheet.tools.mcp.names import server_of


@dataclass(frozen=True, slots=True)
class Standing:
    """`tools` maps names here to the server's own, `left_out` its tools that cannot be used to why.

    `missing` are names of the white list that it does not have. `down`: why it cannot be reached;
    None where it was, or nobody tried.
    """

    server: str
    transport: str
    is_open: bool
    down: str | None
    tools: Mapping[str, str]
    left_out: Mapping[str, str]
    missing: tuple[str, ...]

    def told(self) -> Sequence[str]:
        """What is not as the deployment wants it; nothing where all is well."""
        told = [f"it cannot be used: {self.down}"] if self.down is not None else []
        told += [f"its tool {tool!r} is left out: {why}" for tool, why in self.left_out.items()]
        return [*told, *(f"it has no tool {each!r}, which mcp.yaml lists" for each in self.missing)]


def tools_in_vain(tools: Iterable[str], standing: Standing) -> Iterator[str]:
    """Those of the names that would be the server's, and that none of its tools has."""
    if standing.down is None:
        for name in tools:
            if (
                server_of(name) == standing.server
                and "*" not in name
                and name not in standing.tools
            ):
                yield name
