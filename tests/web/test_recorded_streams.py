"""The official clients of both generations take every recorded stream, to the same messages.

Schema, verification and reducer are theirs; what they end up with is what the database had.
"""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from tests.golden import files
from tests.golden.kinds import BOTH, KINDS
from tests.golden.stored import as_held
from tests.plugins.needs import WEB, node

pytestmark = pytest.mark.needs("node")


class Replay(BaseHTTPRequestHandler):
    """Answers a POST to a recording's name with the recording."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        events = files.read(self.path.removeprefix("/"))
        frames = "".join(f"data: {json.dumps(event)}\n\n" for event in events).encode()
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("content-length", str(len(frames)))
        self.end_headers()
        self.wfile.write(frames)

    def log_message(self, format: str, *args: Any) -> None:
        del format, args


@contextmanager
def replaying() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Replay) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.mark.parametrize("generation", BOTH)
def test_a_recording_leads_to_the_messages_of_the_database(generation: str) -> None:
    kinds = [kind for kind in KINDS.values() if generation in kind.clients]
    assert len(kinds) > 10
    with replaying() as address:
        asked = json.dumps({"urls": {kind.name: f"{address}/{kind.name}" for kind in kinds}})
        done = subprocess.run(
            [str(node()), str(WEB / "official_streams.mjs"), str(WEB / generation), asked],
            capture_output=True,
            text=True,
            timeout=90,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["complaints"] == []
    for kind in kinds:
        seen, events = result["streams"][kind.name], files.read(kind.name)
        assert seen["rejected"] is None, kind.name
        assert seen["events"] == len(events), kind.name
        assert seen["runError"] == events[-1].get("code"), kind.name
        assert as_held(seen["messages"]) == files.read_messages(kind.name), kind.name
