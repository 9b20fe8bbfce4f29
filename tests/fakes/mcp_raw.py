"""An MCP server that writes its answers by hand: `python mcp_raw.py stdio|http [port]`.

Each tool answers with bytes that no careful server would send.
"""

from __future__ import annotations

import json
import os
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

SCHEMA = {"type": "object"}


def answer(message: dict[str, Any]) -> bytes | None:
    """The line to send; None for what is not answered."""
    note(message)
    if "id" not in message:
        return None
    method, number = message["method"], message["id"]
    if method == "initialize" and (token := os.environ.get("RAW_REFUSES")):
        error = {"code": -32000, "message": f"the token {token} is not good"}
        return json.dumps({"jsonrpc": "2.0", "id": number, "error": error}).encode()
    if method == "initialize":
        result: Any = {
            "protocolVersion": message["params"]["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "raw", "version": "1"},
        }
    elif method == "tools/list":
        tools: list[Any] = [{"name": name, "inputSchema": SCHEMA} for name in TOOLS]
        result = {"tools": [*tools, {"name": 5}, "what"]}
    elif method == "tools/call":
        return called(message["params"]["name"], number)
    else:
        result = {}
    return json.dumps({"jsonrpc": "2.0", "id": number, "result": result}).encode()


RESULTS = {
    "nan": b'{"content": [], "structuredContent": {"a": NaN, "b": [Infinity, 1]}}',
    "surrogate": b'{"content": [{"type": "text", "text": "cut \\ud83d here"}]}',
    "nothing": b"null",
    "strange": b'{"content": [{"type": "hologram"}, 5, {"type": "text", "text": "seen"}]}',
    "late": b'{"content": [{"type": "text", "text": "late"}]}',
    "plain": b'{"content": [{"type": "text", "text": "[NaN, 1]"}]}',
}
TOOLS = (*RESULTS, "garbage", "refuse", "busy", "cut")


def called(tool: str, number: Any) -> bytes:
    if tool == "refuse":
        error = {"code": -32602, "message": "text is missing, and TOP-SECRET-VALUE is mine"}
        return json.dumps({"jsonrpc": "2.0", "id": number, "error": error}).encode()
    if tool in RESULTS:
        return b'{"jsonrpc": "2.0", "id": %d, "result": %s}' % (number, RESULTS[tool])
    return b"this is no message"


def note(message: dict[str, Any]) -> None:
    log = os.environ.get("FAKE_LOG")
    if log:
        with Path(log).open("a", encoding="utf-8") as file:
            file.write(json.dumps({"pid": os.getpid(), "got": message}) + "\n")


class Answers(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        message = json.loads(self.rfile.read(int(self.headers["content-length"])))
        tool = message.get("params", {}).get("name") if message["method"] == "tools/call" else None
        if tool == "busy":
            self.send(503, b"later", "text/plain")
        elif tool == "late":
            time.sleep(1)
            self.send(200, called(tool, message["id"]), "application/json")
        elif tool == "cut":
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.send_header("transfer-encoding", "chunked")
            self.end_headers()
            self.wfile.write(b"5\r\n: hm\n\r\n")
            self.wfile.flush()
            time.sleep(0.1)
            self.close_connection = True
        elif (line := answer(message)) is None:
            self.send(202, b"", "text/plain")
        elif os.environ.get("RAW_EVENTS"):
            self.send(200, b"event: message\r\ndata: " + line + b"\r\n\r\n", "text/event-stream")
        else:
            self.send(200, line, "application/json")

    def do_GET(self) -> None:
        self.send(405, b"", "text/plain")

    def send(self, status: int, body: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: Any) -> None:
        pass


def main() -> None:
    if sys.argv[1] == "http":
        ThreadingHTTPServer(("127.0.0.1", int(sys.argv[2])), Answers).serve_forever()
    print("Starting, please wait", flush=True)  # as many a server does, and none may
    for line in sys.stdin:
        found = answer(json.loads(line))
        if found is not None:
            sys.stdout.buffer.write(found + b"\n")
            sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
