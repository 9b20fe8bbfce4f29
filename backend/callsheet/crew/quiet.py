"""CrewAI made fit to live in a server: every switch and patch, in one place.

Nothing else in this room changes CrewAI from outside. The private names touched here are pinned by
`tests/live_crewai`, so that an upgrade that renames one fails there.
"""

from __future__ import annotations

import logging
import os
import sys
import threading
import warnings
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, Final

from callsheet.crew.left_out import left_out
from callsheet.kit.errors import SetupError

_SWITCHES: Final = {
    "CREWAI_DISABLE_TELEMETRY": "true",
    "CREWAI_DISABLE_TRACKING": "true",
    "CREWAI_TRACING_ENABLED": "false",
    "CREWAI_DISABLE_VERSION_CHECK": "true",
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
}

# Held while CrewAI is imported and patched: two threads may ask for it at once.
_lock: Final = threading.Lock()
_loaded: list[Path] = []


def load_crewai(data_dir: Path) -> None:
    """Import CrewAI, silent and with all its files under `data_dir`/crewai.

    Takes some seconds of CPU the first time, so call it in a thread; later calls return at
    once, whatever folder they name. Has to come before anything else imports crewai.

    Raises:
        SetupError: crewai was imported by somebody else before its switches were set.
    """
    with _lock:
        if _loaded:
            return
        if "crewai" in sys.modules:
            raise SetupError(
                "crewai was imported before callsheet could switch its telemetry off; "
                "call load_crewai() first."
            )
        folder = data_dir / "crewai"
        folder.mkdir(parents=True, exist_ok=True)
        _set_switches(folder)
        _keep_files_inside(folder)
        _silence_loggers()
        with left_out(), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # its imports warn about each other
            _patch_after_import()
        _loaded.append(folder)


def _set_switches(folder: Path) -> None:
    """CrewAI reads its switches from the environment alone, at import and later."""
    os.environ.update(_SWITCHES)  # noqa: TID251  CrewAI has no other way to be told
    os.environ["CREWAI_STORAGE_DIR"] = str(folder)  # noqa: TID251  as above


def _keep_files_inside(folder: Path) -> None:
    """CrewAI writes a key and a settings folder under the user's home with every switch off."""
    from crewai_core import settings  # noqa: PLC0415  only once the switches are set
    from crewai_core.token_manager import TokenManager  # noqa: PLC0415

    settings.DEFAULT_CONFIG_PATH = folder / "settings.json"
    place = folder / "credentials"

    def storage_path() -> Path:
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        return place

    TokenManager._get_secure_storage_path = staticmethod(storage_path)  # type: ignore[method-assign]


def _silence_loggers() -> None:
    """Its warnings are about features that are off; what fails reaches us as an exception."""
    for name in ("crewai", "crewai_core"):
        logger = logging.getLogger(name)
        logger.setLevel(logging.CRITICAL)


def _patch_after_import() -> None:
    from crewai.events import event_context, event_listener  # noqa: PLC0415  6 s, and the order matters
    from crewai.events.event_bus import crewai_event_bus  # noqa: PLC0415
    from crewai.events.listeners.tracing import trace_listener  # noqa: PLC0415
    from crewai.utilities import file_store, task_output_storage_handler  # noqa: PLC0415

    # Console printing and telemetry hang on bus handlers; each emit would go through a thread pool.
    event_listener.EventListener.setup_listeners = _nothing  # type: ignore[method-assign]
    trace_listener.TraceCollectionListener.setup_listeners = _nothing  # type: ignore[method-assign]
    crewai_event_bus._sync_handlers.clear()
    crewai_event_bus._async_handlers.clear()
    crewai_event_bus._handler_dependencies.clear()
    # The record of all events of a run only serves CrewAI's own checkpoints.
    crewai_event_bus._record_event = _nothing  # type: ignore[method-assign]
    crewai_event_bus._register_source = _nothing  # type: ignore[method-assign]
    # Warnings about event pairs go to stdout.
    crewai_event_bus._console.print = _nothing  # type: ignore[method-assign]
    event_context._console.print = _nothing  # type: ignore[method-assign]
    # The SQLite log of task outputs serves `crewai replay` alone and writes users' text to disk.
    for method in ("__init__", "update", "add", "reset", "load"):
        setattr(task_output_storage_handler.TaskOutputStorageHandler, method, _nothing)
    # Looking for input files starts a thread and an event loop, four times a kickoff.
    file_store._run_sync = _drive  # type: ignore[assignment]  # it is generic there
    file_store._file_store = None


def _nothing(*_args: Any, **_kwargs: Any) -> None:
    """What a silenced part of CrewAI does."""


def _drive(coroutine: Coroutine[None, None, Any]) -> Any:
    """Run a coroutine that never waits."""
    try:
        coroutine.send(None)
    except StopIteration as done:
        return done.value
    coroutine.close()
    raise RuntimeError("CrewAI's file store waited, though there is none")
