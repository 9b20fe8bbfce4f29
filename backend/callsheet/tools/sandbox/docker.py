"""Containers of a Docker engine, through its SDK, which blocks and gets threads of its own."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import socket
import ssl
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final, TypeVar

from callsheet.kit.log import get_log
from callsheet.tools.sandbox.box import StreamBox
from callsheet.tools.sandbox.container import OWNER_LABEL, container
from callsheet.tools.sandbox.left_behind import remove_left_behind
from callsheet.tools.sandbox.options import SandboxOptions
from callsheet.tools.sandbox.protocol import Images, SandboxUnavailable

_ASK_S: Final = 30
_READY_S: Final = 60.0

T = TypeVar("T")
log = get_log(__name__)


class DockerEngine:
    """Makes containers; `owner` is a label by which they are found when this process is gone.

    The stream to a container is read on the event loop. When this process dies its streams close,
    the runners see the end of their input, and the engine removes their containers.
    """

    def __init__(
        self, options: SandboxOptions, *, images: Images, owner: str, address: str | None, most: int
    ) -> None:
        """`address` None: the engine's usual socket. `most` containers are there at a time."""
        self._options = options
        self._images = images
        self._owner = owner
        self._address = address
        self._threads = most + 4
        self._executor: ThreadPoolExecutor | None = None
        self._client: Any = None
        self._making = threading.Lock()  # of the one client for all threads

    async def start(self, preload: Sequence[str], network: str | None = None) -> StreamBox:
        """A new container whose runner has imported `preload` and waits.

        `network`: the engine's network that it is on until it is unplugged; None: none.

        Raises:
            SandboxUnavailable: the engine refuses, fails or does not answer.
        """
        made = _Made(self, network)
        box: StreamBox | None = None
        try:
            raw = await self.call(functools.partial(made.begin, list(preload)))
            box = await StreamBox.over(raw, made)
            async with asyncio.timeout(_READY_S):
                await box.ready()
        except TimeoutError as error:
            (box or made).remove()
            raise SandboxUnavailable("A container of the sandbox did not become ready.") from error
        except BaseException:
            (box or made).remove()
            raise
        return box

    async def sweep(self) -> int:
        """Remove the containers of processes that are gone; how many they were.

        Raises:
            SandboxUnavailable: the engine refuses, fails or does not answer.
        """
        return await self.call(lambda: remove_left_behind(self.client(), OWNER_LABEL))

    async def close(self) -> None:
        """Wait until what was begun is done, removals above all, and let go of the engine."""
        executor, self._executor = self._executor, None
        if executor is not None:
            await asyncio.to_thread(executor.shutdown)  # its work still needs the client
        client, self._client = self._client, None
        if client is not None:
            client.close()

    async def call(self, work: Callable[[], T]) -> T:
        """Have it done in a thread; SandboxUnavailable where the engine fails."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._pool(), functools.partial(_told_apart, work))

    def submit(self, work: Callable[[], None]) -> None:
        """Have it done in a thread; a failure is told in the log alone."""

        def told() -> None:
            try:
                work()
            except Exception:  # border: nobody waits for it
                log.exception("sandbox_clean_up_failed")

        self._pool().submit(told)

    def client(self) -> Any:
        """The SDK's client; made in a thread, at first use."""
        import docker  # noqa: PLC0415 - only where there is an engine

        with self._making:
            if self._client is None:
                self._client = docker.APIClient(
                    base_url=self._address,
                    version="auto",
                    timeout=_ASK_S,
                    max_pool_size=self._threads,
                )
            return self._client

    def _pool(self) -> ThreadPoolExecutor:
        if self._executor is None:
            self._executor = ThreadPoolExecutor(self._threads, thread_name_prefix="sandbox")
        return self._executor

    def wanted(self, preload: list[str], network: str | None) -> dict[str, Any]:
        """What the engine is asked to create."""
        return container(self._options, self._images.name, self._owner, preload, network)


def _told_apart(work: Callable[[], T]) -> T:
    """The work, with every fault of the engine as SandboxUnavailable; in a thread."""
    from docker.errors import DockerException  # noqa: PLC0415 - its import is slow
    from requests.exceptions import RequestException  # noqa: PLC0415

    try:
        return work()
    except (DockerException, RequestException, OSError) as error:
        log.warning("sandbox_engine_failed", error=str(error))
        raise SandboxUnavailable(f"The engine of the sandbox failed: {error}"[:300]) from error


class _Made:
    """One container from its creation to its removal, whichever comes first."""

    def __init__(self, engine: DockerEngine, network: str | None) -> None:
        self._engine = engine
        self._network = network
        self._id: str | None = None
        self._gone = threading.Event()

    def begin(self, preload: list[str]) -> socket.socket:
        """Create it, attach to it, start it; in a thread."""
        client = self._engine.client()
        asked = self._engine.wanted(preload, self._network)
        config = client.create_host_config(**asked.pop("host_config"))
        self._id = client.create_container_from_config(
            {**client.create_container_config(**asked, host_config=config), "StdinOnce": True}
        )["Id"]
        if self._gone.is_set():  # whoever wanted it has left meanwhile
            self._kill()
            raise SandboxUnavailable("Nobody waits for this container any more.")
        attached = client.attach_socket(
            self._id, {"stdin": 1, "stdout": 1, "stderr": 1, "stream": 1}
        )
        client.start(self._id)
        raw = getattr(attached, "_sock", attached)
        if not isinstance(raw, socket.socket) or isinstance(raw, ssl.SSLSocket):
            raise SandboxUnavailable("The engine's address must be a socket or plain TCP.")
        own = raw.dup()
        attached.close()
        raw.close()
        if self._gone.is_set():
            own.close()
        return own

    def remove(self) -> None:
        """Have it killed, which removes it; at once, whatever else is under way."""
        if not self._gone.is_set():
            self._gone.set()
            self._engine.submit(self._kill)

    async def unplug(self) -> None:
        """Take it off its network, and look that it is off."""
        await self._engine.call(self._unplug)

    def _unplug(self) -> None:
        client = self._engine.client()
        if self._network is not None:
            client.disconnect_container_from_network(self._id, self._network, force=True)
        networks = client.inspect_container(self._id)["NetworkSettings"]["Networks"]
        if left := set(networks) - {"none"}:
            raise SandboxUnavailable(f"A container could not be taken off {', '.join(left)}.")

    def _kill(self) -> None:
        from docker.errors import APIError, NotFound  # noqa: PLC0415

        if self._id is None:
            return  # `begin` sees that it is not wanted
        client = self._engine.client()
        with contextlib.suppress(NotFound):
            try:
                client.remove_container(self._id, force=True, v=True)
            except APIError as error:
                if error.status_code != 409:  # its removal is under way already
                    raise
