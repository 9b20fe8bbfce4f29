"""The real application on a port of its own, in a thread with a loop of its own."""

from __future__ import annotations

import asyncio
import threading
import time
import urllib.error
import urllib.request
from contextlib import AbstractAsyncContextManager
from types import TracebackType
from typing import Self

from fastapi import FastAPI

from callsheet.cli.listening import HttpServer, listen, url_of
from callsheet.main import create_app_for
from callsheet.runs.worker_locks import WorkerKind
from callsheet.settings.settings import Settings
from callsheet.wiring.adapters import Adapters
from callsheet.wiring.application import Application
from callsheet.wiring.lifespan import running

_START_S = 60.0
_STOP_S = 30.0


class RunningApp:
    """Ready for turns inside the block; stopped in order at its end."""

    def __init__(
        self, settings: Settings, adapters: Adapters | None = None, kind: WorkerKind = "serve"
    ) -> None:
        self._kind = kind
        self._settings = settings
        self._adapters = adapters
        self._socket = listen("127.0.0.1", 0)
        self._failures: list[BaseException] = []
        self._server: HttpServer | None = None
        self._why = ""
        self._thread = threading.Thread(target=self._run, name="callsheet", daemon=True)

    @property
    def base_url(self) -> str:
        return url_of(self._socket)

    def __enter__(self) -> Self:
        self._thread.start()
        try:
            self._until_ready()
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def _until_ready(self) -> None:
        deadline = time.monotonic() + _START_S
        while not self._is_ready():
            if self._failures:
                raise self._failures[0]
            if time.monotonic() > deadline:
                raise AssertionError(f"the server did not become ready: {self._why}")
            time.sleep(0.02)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._server is not None:
            self._server.should_exit = True
        self._thread.join(_STOP_S)
        self._socket.close()
        assert not self._thread.is_alive(), "the server did not stop"

    async def __aenter__(self) -> Self:
        return await asyncio.to_thread(self.__enter__)

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await asyncio.to_thread(self.__exit__, kind, error, trace)

    def _is_ready(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.base_url}/health/ready", timeout=5):
                return True
        except urllib.error.HTTPError as answer:
            self._why = answer.read().decode()
            answer.close()
            return False
        except OSError:
            return False

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        except BaseException as error:  # noqa: BLE001 - handed to the test
            self._failures.append(error)

    async def _serve(self) -> None:
        application = Application(self._settings, self._adapters, kind=self._kind)

        def failed(failure: Exception) -> None:
            self._failures.append(failure)
            server.should_exit = True

        def lifespan(_: FastAPI) -> AbstractAsyncContextManager[None]:
            return running(application, failed)

        app = create_app_for(application, lifespan)
        server = self._server = HttpServer(app, lambda: None, application.drain)
        await server.serve(sockets=[self._socket])
