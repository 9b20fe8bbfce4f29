"""`callsheet worker`."""

from __future__ import annotations

import asyncio
import importlib
import signal
from collections.abc import Callable
from typing import Annotated

import typer
import uvloop

from callsheet.cli.deployment import read_deployment
from callsheet.kit.errors import AppError, SetupError
from callsheet.kit.log import get_log
from callsheet.settings.settings import Settings

app = typer.Typer(add_completion=False)


@app.command()
def worker(
    *,
    places: Annotated[
        int | None,
        typer.Option(
            "--places", min=1, help="Runs at a time, instead of CALLSHEET_LIMITS__CONCURRENT_RUNS."
        ),
    ] = None,
) -> None:
    """Work on runs that servers have let in. Ctrl-C or SIGTERM ends it in order.

    There is no HTTP: the log says what happens, and `callsheet doctor` lists the workers.
    """
    settings = read_deployment(for_server=True).settings
    if places is not None:
        limits = settings.limits.model_copy(update={"concurrent_runs": places})
        settings = settings.model_copy(update={"limits": limits})
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_work(settings))


async def _work(settings: Settings) -> None:
    # SQLAlchemy and the rest take seconds; nobody waits for an answer of this process.
    wiring = importlib.import_module("callsheet.wiring.application")
    door = importlib.import_module("callsheet.worker")
    note = importlib.import_module("callsheet.cli.rehearsal")
    log = get_log(__name__)
    application = wiring.Application(settings, kind="worker")
    if said := note.rehearsal_note(application):
        log.warning("rehearsal", detail=said)

    def begun(name: str) -> None:
        log.info("worker_ready", worker_id=name, places=settings.limits.concurrent_runs)

    def ends() -> None:
        log.info("worker_draining")

    try:
        await door.work(application, _stop_signal(ends), begun)
    except* (SetupError, AppError) as group:
        raise group.exceptions[0] from None
    log.info("worker_ended")


def _stop_signal(tell: Callable[[], None]) -> asyncio.Event:
    """Set by the first Ctrl-C or SIGTERM; a second one ends the process at once."""
    loop, stop = asyncio.get_running_loop(), asyncio.Event()
    signals = (signal.SIGINT, signal.SIGTERM)

    def came() -> None:
        tell()
        stop.set()
        for each in signals:
            loop.remove_signal_handler(each)

    for each in signals:
        loop.add_signal_handler(each, came)
    return stop
