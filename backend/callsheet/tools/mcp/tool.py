"""One tool of an MCP server as a tool like any other."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, ClassVar, Final
from uuid import NAMESPACE_URL, uuid5

from pydantic import RootModel

from callsheet.kit.errors import ToolFailed, ToolRetry
from callsheet.kit.text import clean
from callsheet.tools.artifact import Artifacts
from callsheet.tools.context import ToolContext
from callsheet.tools.mcp.arguments import arguments_of
from callsheet.tools.mcp.blobs import Blobs
from callsheet.tools.mcp.connection import Connection
from callsheet.tools.mcp.faults import CallRefused, ConnectionLost, ServerDown
from callsheet.tools.mcp.protocol import Answer, Call, ListedTool, Progress
from callsheet.tools.mcp.result import masked, text_of
from callsheet.tools.mcp.server import McpServer

PROGRESS: Final = "callsheet.progress"
_LONGEST_DESCRIPTION: Final = 8_000
_LONGEST_LINE: Final = 200
_SHOWN_EVERY_S: Final = 0.25
# By then the call has ended by itself, with a word of what that means.
_GRACE_S: Final = 1.0
_WORD_S: Final = 0.2
_UNKNOWN: Final = (
    "nobody knows whether it was done. Do not simply do it again: find out first, or tell the user."
)


class McpTool:
    """Calls a server's tool, through the one connection to the server."""

    group: ClassVar[str] = "mcp"

    def __init__(
        self,
        name: str,
        listed: ListedTool,
        server: McpServer,
        connection: Connection,
        artifacts: Artifacts | None = None,
    ) -> None:
        """Raises Unusable where its schema is of no use."""
        self._artifacts = artifacts
        self.name = name
        self.description: str = _described(listed, server.name)
        self.Args: type[RootModel[dict[str, Any]]] = arguments_of(listed.schema)
        self.own_name: str = listed.name
        self.label: Mapping[str, str] = {"en": listed.title} if listed.title else {}
        self.summary: str = self.description.split("\n")[0][:_LONGEST_LINE]
        is_harmless = server.trusts_read_only and listed.read_only
        self.idempotent: bool = is_harmless
        self.side_effect: str | None = (
            None if is_harmless else f"Whatever {listed.name!r} does at the server {server.name}."
        )
        self.timeout_s: float = server.call_timeout_s + _GRACE_S
        self._server = server
        self._connection = connection

    def unavailable(self) -> str | None:
        """Why it is not offered now; what is wrong with the server is for whoever runs it."""
        if self._connection.down is None:
            return None
        return f"the MCP server {self._server.name!r} cannot be reached"

    async def run(self, args: RootModel[dict[str, Any]], ctx: ToolContext) -> str:
        """The server's answer as text."""
        call = Call(self.own_name, args.root, _Teller(self.name, ctx).hear)
        answer = await self._answer(call, ctx)
        files = Blobs(self._artifacts, ctx, self.own_name)
        text = masked(await text_of(answer, files.describe), self._server.secrets)
        if answer.is_error:
            raise ToolFailed(text)
        return text

    async def _answer(self, call: Call, ctx: ToolContext) -> Answer:
        server = self._server.name
        left_s = ctx.deadline.left_s()
        # The last word is this tool's: it knows whether the server was asked.
        deadline = ctx.deadline.within(max(left_s - _WORD_S, left_s / 2))
        deadline = deadline.within(self._server.call_timeout_s)
        try:
            return await self._connection.call(call, deadline)
        except ServerDown:
            raise ToolFailed(
                f"The server {server!r} cannot be reached now and was not asked; go on without it."
            ) from None
        except ConnectionLost:
            raise ToolFailed(
                f"The connection to the server {server!r} was lost meanwhile: {_UNKNOWN}"
            ) from None
        except TimeoutError:
            raise ToolFailed(f"The server {server!r} did not answer in time: {_UNKNOWN}") from None
        except CallRefused as error:
            kind = ToolRetry if error.wrong_arguments else ToolFailed
            raise kind(f"The server {server!r} says: {error}") from None


class _Teller:
    """Lets people see how far a call is."""

    def __init__(self, name: str, ctx: ToolContext) -> None:
        self._name = name
        self._ctx = ctx
        self._id = uuid5(NAMESPACE_URL, f"{ctx.run_id}/{ctx.tool_call_id}/{PROGRESS}")
        self._not_before_s = 0.0

    def hear(self, progress: Progress) -> None:
        """Show it in the place of what was shown before, a few times a second at most."""
        now = time.monotonic()
        if now < self._not_before_s:
            return
        self._not_before_s = now + _SHOWN_EVERY_S
        content: dict[str, Any] = {"tool": self._name, "done": progress.done}
        if progress.total is not None:
            content["total"] = progress.total
        if progress.message:
            content["message"] = clean(progress.message)[:_LONGEST_LINE]
        self._ctx.tell.show(PROGRESS, self._id, content)


def _described(listed: ListedTool, server: str) -> str:
    text = clean(listed.description).strip()[:_LONGEST_DESCRIPTION]
    return text or f"The tool {listed.name!r} of the server {server!r}."
