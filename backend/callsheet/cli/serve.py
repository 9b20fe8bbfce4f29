"""`callsheet serve`."""

from __future__ import annotations

import sys
from contextlib import AbstractAsyncContextManager
from typing import Annotated

import typer
from fastapi import FastAPI
from rich.markup import escape

from callsheet.cli.console import ERR
from callsheet.cli.deployment import read_deployment
from callsheet.cli.listening import HttpServer, listen, url_of
from callsheet.cli.rehearsal import rehearsal_note
from callsheet.kit.log import get_log
from callsheet.main import create_app_for
from callsheet.settings.settings import Settings
from callsheet.wiring.application import Application
from callsheet.wiring.lifespan import running

app = typer.Typer(add_completion=False)


@app.command()
def serve(
    *,
    host: Annotated[
        str | None, typer.Option("--host", help="Instead of CALLSHEET_SERVER__HOST.")
    ] = None,
    port: Annotated[
        int | None, typer.Option("--port", help="Instead of CALLSHEET_SERVER__PORT; 0: a free one.")
    ] = None,
) -> None:
    """Start the server and whatever it needs. Ctrl-C stops it in order."""
    settings = _with(read_deployment(for_server=True).settings, host, port)
    application = Application(settings)
    failures: list[Exception] = []

    def failed(failure: Exception) -> None:
        failures.append(failure)
        server.should_exit = True

    def lifespan(_: FastAPI) -> AbstractAsyncContextManager[None]:
        return running(application, failed)

    http = create_app_for(application, lifespan)
    listening = listen(settings.server.host, settings.server.port)
    server = HttpServer(http, lambda: _say(url_of(listening), application))
    try:
        server.run(sockets=[listening])
    except KeyboardInterrupt:
        pass  # the server has ended in order and only passes the signal on
    finally:
        listening.close()
    if failures:
        raise failures[0]


def _with(settings: Settings, host: str | None, port: int | None) -> Settings:
    """What the command line says, over what the environment says."""
    given = {"host": host, "port": port}
    update = {name: value for name, value in given.items() if value is not None}
    server = type(settings.server).model_validate({**settings.server.model_dump(), **update})
    return settings.model_copy(update={"server": server})


def _say(url: str, application: Application) -> None:
    """Where it listens and who answers: to a person, or to the log where there is none."""
    note = rehearsal_note(application)
    if not sys.stderr.isatty():
        log = get_log(__name__)
        log.info("listening", url=url, endpoint=f"{url}/v1/agent-chat")
        if note:
            log.warning("rehearsal", detail=note)
        return
    ERR.print(f"[bold]Callsheet[/bold] listens on [link={url}]{url}[/link]", soft_wrap=True)
    ERR.print(f"AG-UI endpoint: {url}/v1/agent-chat", soft_wrap=True)
    if note:
        ERR.print(f"[yellow]{escape(note)}[/yellow]", soft_wrap=True)
