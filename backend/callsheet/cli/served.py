"""What `serve` serves. Importing this takes seconds: `front` does it behind the first answers."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass

from starlette.types import ASGIApp

from callsheet.cli.rehearsal import rehearsal_note
from callsheet.main import create_app_for
from callsheet.runs.worker_locks import WorkerKind
from callsheet.settings.settings import Settings
from callsheet.wiring.application import Application
from callsheet.wiring.lifespan import running


@dataclass(frozen=True, slots=True)
class Served:
    """The application, to be used inside `lifetime`; `note` is for whoever started it.

    `drain` begins its end while streams are still open.
    """

    app: ASGIApp
    lifetime: AbstractAsyncContextManager[None]
    note: str | None
    drain: Callable[[], None]


def load(settings: Settings, failed: Callable[[Exception], None], kind: WorkerKind) -> Served:
    """Read the configuration and plug everything together.

    `failed` is called later, once, where the database or a migration ends the start.

    Raises:
        SetupError: the settings or the YAML; all of its problems.
    """
    application = Application(settings, kind=kind)
    return Served(
        create_app_for(application),
        running(application, failed),
        rehearsal_note(application),
        application.drain,
    )
