"""Callsheet itself: the application, the HTTP server and the settings of `callsheet serve`."""

from __future__ import annotations

import argparse
from contextlib import AbstractAsyncContextManager

from fastapi import FastAPI

from callsheet.cli.deployment import read_deployment
from callsheet.cli.listening import HttpServer, listen
from callsheet.main import create_app_for
from callsheet.wiring.adapters import Adapters
from callsheet.wiring.application import Application
from callsheet.wiring.lifespan import running


def serve(adapters: Adapters) -> None:
    """Serve on `--port` until told to stop; settings come from the environment."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, required=True)
    port = parser.parse_args().port
    settings = read_deployment(for_server=True).settings
    application = Application(settings, adapters)

    def failed(failure: Exception) -> None:
        server.should_exit = True
        print(failure, flush=True)

    def lifespan(_: FastAPI) -> AbstractAsyncContextManager[None]:
        return running(application, failed)

    server = HttpServer(create_app_for(application, lifespan), lambda: None)
    server.run(sockets=[listen("127.0.0.1", port)])
