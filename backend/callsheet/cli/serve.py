"""`callsheet serve`."""

from __future__ import annotations

import asyncio
import importlib
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, cast

import typer
from rich.markup import escape

from callsheet.auth.api_keys import ApiKeys
from callsheet.auth.exposure import check_exposure, is_loopback
from callsheet.cli.console import ERR
from callsheet.cli.deployment import Deployment, read_deployment
from callsheet.cli.front import Front
from callsheet.cli.listening import HttpServer, listen, url_of
from callsheet.kit.errors import SetupError
from callsheet.kit.log import get_log
from callsheet.settings.settings import Settings

if TYPE_CHECKING:
    from callsheet.cli.served import Served

app = typer.Typer(add_completion=False)


@app.command()
def serve(
    *,
    host: Annotated[
        str | None, typer.Option("--host", help="Instead of CALLSHEET_SERVER__HOST.")
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(
            "--port", min=0, max=65535, help="Instead of CALLSHEET_SERVER__PORT; 0: a free one."
        ),
    ] = None,
    worker: Annotated[
        bool,
        typer.Option(
            "--worker/--no-worker", help="Whether it works on runs too, or `callsheet worker` does."
        ),
    ] = True,
) -> None:
    """Start the server and whatever it needs. Ctrl-C stops it in order."""
    deployment = read_deployment(for_server=True)
    settings = _with(deployment.settings, host, port)
    _check_who_is_let_in(replace(deployment, settings=settings))
    failures: list[Exception] = []

    def failed(failure: Exception) -> None:
        failures.append(failure)
        server.should_exit = True

    async def load() -> Served:
        # FastAPI, SQLAlchemy and the rest take seconds: in a thread, so that /health answers.
        module = await asyncio.to_thread(importlib.import_module, "callsheet.cli.served")
        served = cast("Served", module.load(settings, failed, "serve" if worker else "api"))
        _say_who_answers(served.note)
        return served

    listening = listen(settings.server.host, settings.server.port)
    front = Front(load, failed)
    server = HttpServer(front, lambda: _say_where(url_of(listening)), front.drain)
    try:
        server.run(sockets=[listening])
    except KeyboardInterrupt:
        pass  # the server has ended in order and only passes the signal on
    finally:
        listening.close()
    if failures:
        raise failures[0]


def _check_who_is_let_in(deployment: Deployment) -> None:
    """Raise SetupError, before anything listens, where others would reach it and it knows nobody.

    The database is asked only where the settings do not say it.
    """
    auth, host = deployment.settings.auth, deployment.settings.server.host
    ApiKeys((key.get_secret_value() for key in auth.api_keys), auth.admins)
    if auth.asks or is_loopback(host):
        return
    # SQLAlchemy takes half a second, which every other start would pay too.
    module = importlib.import_module("callsheet.cli.active_key")
    check_exposure(host, lets_somebody_in=module.has_active_key(deployment))


def _with(settings: Settings, host: str | None, port: int | None) -> Settings:
    """What the command line says, over what the environment says."""
    if host is not None and not host.strip():
        raise SetupError("--host names no address; leave it out for CALLSHEET_SERVER__HOST.")
    given = {"host": host, "port": port}
    update = {name: value for name, value in given.items() if value is not None}
    server = type(settings.server).model_validate({**settings.server.model_dump(), **update})
    return settings.model_copy(update={"server": server})


def _say_where(url: str) -> None:
    """To a person, or to the log where there is none."""
    if sys.stderr.isatty():
        ERR.print(f"[bold]Callsheet[/bold] listens on [link={url}]{url}[/link]", soft_wrap=True)
        ERR.print(f"AG-UI endpoint: {url}/v1/agent-chat", soft_wrap=True)
    else:
        get_log(__name__).info("listening", url=url, endpoint=f"{url}/v1/agent-chat")


def _say_who_answers(note: str | None) -> None:
    if note is None:
        return
    if sys.stderr.isatty():
        ERR.print(f"[yellow]{escape(note)}[/yellow]", soft_wrap=True)
    else:
        get_log(__name__).warning("rehearsal", detail=note)
