"""The application on a real socket, in a thread of its own."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import uvicorn
from fastapi import FastAPI

from callsheet.api.ports import ApiOptions
from callsheet.main import create_app
from tests.api.fake import OPTIONS, World


@contextmanager
def serve(world: World, options: ApiOptions = OPTIONS) -> Iterator[str]:
    """The address of a server over these fakes, until the block ends."""
    with serve_app(create_app(world.services(), options)) as address:
        yield address


@contextmanager
def serve_app(app: FastAPI) -> Iterator[str]:
    """The address of a server for this application, until the block ends."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        config = uvicorn.Config(app, log_config=None, lifespan="on", ws="none", loop="asyncio")
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        deadline = time.monotonic() + 20
        while not server.started:
            assert thread.is_alive(), "the server did not start"
            assert time.monotonic() < deadline, "the server did not start in time"
            time.sleep(0.01)
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(10)
            assert not thread.is_alive(), "the server did not stop"


def local_options(options: ApiOptions = OPTIONS) -> ApiOptions:
    """The same for a server without keys."""
    return replace(options, own_hosts=frozenset({"localhost", "127.0.0.1", "::1"}))
