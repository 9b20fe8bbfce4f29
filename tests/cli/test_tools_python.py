"""`callsheet tools call python_executor` where its image is still to be made."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tests.cli.conftest import Callsheet


class _NoImage(BaseHTTPRequestHandler):
    """An engine that has no image at all."""

    def do_GET(self) -> None:
        self.send_response(200 if self.path == "/_ping" else 404)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Says nothing."""


def test_a_call_waits_for_no_image_that_nobody_builds(
    deployed: Callsheet, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), _NoImage) as engine:
        threading.Thread(target=engine.serve_forever, daemon=True).start()
        address = f"tcp://127.0.0.1:{engine.server_port}"
        monkeypatch.setenv("CALLSHEET_SANDBOX__DOCKER_HOST", address)
        called = deployed("tools", "call", "python_executor", '{"code": "1"}')
        engine.shutdown()
    assert (called.status, called.out) == (1, "")
    assert "`callsheet sandbox build` makes it." in called.err
