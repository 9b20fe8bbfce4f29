"""A real MCP server as a process of its own: `python mcp_server.py stdio|http [port]`.

It is made of the official SDK's server side. What it offers, and how it misbehaves, is told by
variables of its environment; what it was asked it writes into a file, one JSON object a line.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import mcp.types as types
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.models import InitializationOptions

PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5"
    "ErkJggg=="
)
TEXT = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
NOTHING: dict[str, Any] = {"type": "object", "properties": {}}


class Fake:
    """`name` prefixes what it answers; `log` is the file of what it was asked."""

    def __init__(self, environ: dict[str, str]) -> None:
        self.name = environ.get("FAKE_NAME", "fake")
        self.log = Path(environ["FAKE_LOG"]) if "FAKE_LOG" in environ else None
        self.only = json.loads(environ.get("FAKE_TOOLS", "null"))
        self.more: list[str] = []
        self.page = int(environ.get("FAKE_PAGE", "0"))
        self.server: Server[Any] = Server("fake")
        self.server.list_tools()(self.list_tools)  # type: ignore[no-untyped-call]
        self.server.request_handlers[types.CallToolRequest] = self.call_tool

    def note(self, **what: Any) -> None:
        if self.log is not None:
            with self.log.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"pid": os.getpid(), **what}) + "\n")

    def tools(self) -> list[types.Tool]:
        known = {
            "echo": types.Tool(
                name="echo",
                description="Says it again.",
                inputSchema=TEXT,
                annotations=types.ToolAnnotations(readOnlyHint=True, title="Echo"),
            ),
            "slow": types.Tool(name="slow", description="Takes long.", inputSchema=NOTHING),
            "freeze": types.Tool(name="freeze", description="Hangs.", inputSchema=NOTHING),
            "die": types.Tool(name="die", description="Ends the server.", inputSchema=NOTHING),
            "structured": types.Tool(
                name="structured", description="No text.", inputSchema=NOTHING
            ),
            "grow": types.Tool(name="grow", description="Offers one more.", inputSchema=TEXT),
            "fail": types.Tool(name="fail", description="Fails.", inputSchema=NOTHING),
            "picture": types.Tool(name="picture", description="A picture.", inputSchema=NOTHING),
            "whoami": types.Tool(
                name="whoami", description="Its surroundings.", inputSchema=NOTHING
            ),
            "huge": types.Tool(name="huge", description="Much.", inputSchema=NOTHING),
            "a b": types.Tool(name="a b", description="A name with a space.", inputSchema=NOTHING),
            "a-b": types.Tool(name="a-b", description="A name with a dash.", inputSchema=NOTHING),
            "a_b": types.Tool(name="a_b", description="With an underscore.", inputSchema=NOTHING),
            "broken": types.Tool(
                name="broken",
                description="No schema of ours.",
                inputSchema={"type": "object", "properties": {"x": {"$ref": "#/$defs/none"}}},
            ),
            "l" * 90: types.Tool(name="l" * 90, description="A long name.", inputSchema=NOTHING),
        }
        chosen = list(known.values()) if self.only is None else [known[n] for n in self.only]
        return [
            *chosen,
            *(types.Tool(name=n, description="A new one.", inputSchema=NOTHING) for n in self.more),
        ]

    async def list_tools(self, request: types.ListToolsRequest) -> types.ListToolsResult:
        self.note(asked="list")
        tools = self.tools()
        if not self.page:
            return types.ListToolsResult(tools=tools)
        start = int(request.params.cursor or "0") if request.params else 0
        end = start + self.page
        return types.ListToolsResult(
            tools=tools[start:end], nextCursor=str(end) if end < len(tools) else None
        )

    async def call_tool(self, request: types.CallToolRequest) -> types.ServerResult:
        name, given = request.params.name, request.params.arguments or {}
        self.note(asked=name, arguments=given, id=self.server.request_context.request_id)
        done = getattr(self, f"do_{name}", None)
        if done is None:
            return types.ServerResult(_said(f"{self.name}: {name}"))
        return types.ServerResult(await done(given))

    async def do_echo(self, given: dict[str, Any]) -> types.CallToolResult:
        return _said(f"{self.name}: {given['text']}")

    async def do_slow(self, given: dict[str, Any]) -> types.CallToolResult:
        request = self.server.request_context
        token = request.meta.progressToken if request.meta else None
        try:
            for step in range(600):
                if token is not None:
                    await request.session.send_progress_notification(token, step, 600, "busy")
                await asyncio.sleep(0.05)
        except BaseException:
            self.note(ended="slow", id=request.request_id)
            raise
        return _said("done")

    async def do_freeze(self, given: dict[str, Any]) -> types.CallToolResult:
        time.sleep(600)
        return _said("never")

    async def do_die(self, given: dict[str, Any]) -> types.CallToolResult:
        os._exit(3)

    async def do_grow(self, given: dict[str, Any]) -> types.CallToolResult:
        self.more.append(given["text"])
        await self.server.request_context.session.send_tool_list_changed()
        return _said("grown")

    async def do_fail(self, given: dict[str, Any]) -> types.CallToolResult:
        return types.CallToolResult(content=[_text("no such issue")], isError=True)

    async def do_picture(self, given: dict[str, Any]) -> types.CallToolResult:
        image = types.ImageContent(type="image", data=PIXEL, mimeType="image/png")
        return types.CallToolResult(content=[_text("a dot:"), image])

    async def do_structured(self, given: dict[str, Any]) -> types.CallToolResult:
        return types.CallToolResult(content=[], structuredContent={"n": 1, "of": ["a"]})

    async def do_whoami(self, given: dict[str, Any]) -> types.CallToolResult:
        about = {"env": dict(os.environ), "argv": sys.argv, "cwd": str(Path.cwd())}
        return _said(json.dumps(about))

    async def do_huge(self, given: dict[str, Any]) -> types.CallToolResult:
        return _said("x" * (9 * 1024 * 1024))

    def options(self) -> InitializationOptions:
        return self.server.create_initialization_options(NotificationOptions(tools_changed=True))


def _said(text: str) -> types.CallToolResult:
    return types.CallToolResult(content=[_text(text)])


def _text(text: str) -> types.TextContent:
    return types.TextContent(type="text", text=text)


async def over_stdio(fake: Fake) -> None:
    from mcp.server.stdio import stdio_server

    async with stdio_server() as (read, write):
        await fake.server.run(read, write, fake.options())


async def over_http(fake: Fake, port: int, secret: str | None) -> None:
    import contextlib

    import uvicorn
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import PlainTextResponse, RedirectResponse
    from starlette.routing import Mount, Route

    manager = StreamableHTTPSessionManager(fake.server)

    async def asked(scope: Any, receive: Any, send: Any) -> None:
        request = Request(scope, receive)
        fake.note(http=request.method, authorization=request.headers.get("authorization"))
        if secret is not None and request.headers.get("authorization") != f"Bearer {secret}":
            await PlainTextResponse("who are you?", 401)(scope, receive, send)
            return
        await manager.handle_request(scope, receive, send)

    async def away(request: Request) -> RedirectResponse:
        return RedirectResponse(request.query_params["to"], 307)

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> Any:
        async with manager.run():
            yield

    app = Starlette(
        routes=[Route("/away", away, methods=["GET", "POST"]), Mount("/mcp", app=asked)],
        lifespan=lifespan,
    )
    config = uvicorn.Config(app, host="127.0.0.1", port=port, log_level="error")
    await uvicorn.Server(config).serve()


def main() -> None:
    fake = Fake(dict(os.environ))
    fake.note(started=sys.argv[1], env=sorted(os.environ))
    for _ in range(int(os.environ.get("FAKE_SAYS_TIMES", "1"))):
        print(os.environ.get("FAKE_SAYS", "hello from the server"), file=sys.stderr, flush=True)
    if os.environ.get("FAKE_HANGS"):
        time.sleep(600)
    if sys.argv[1] == "stdio":
        asyncio.run(over_stdio(fake))
    else:
        asyncio.run(over_http(fake, int(sys.argv[2]), os.environ.get("FAKE_SECRET")))


if __name__ == "__main__":
    main()
