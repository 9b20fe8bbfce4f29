"""`callsheet chat`: the same engine as the server's, in this process."""

from __future__ import annotations

import asyncio
import sys
from typing import Annotated

import typer

from callsheet.auth.local import LOCAL_USER
from callsheet.auth.principal import Principal, principal_named
from callsheet.cli.console import note
from callsheet.cli.conversation import Conversation
from callsheet.cli.deployment import read_deployment
from callsheet.cli.interrupts import Interrupts
from callsheet.cli.rehearsal import rehearsal_note
from callsheet.cli.session_reference import RECENT, find_named, session_id_of
from callsheet.kit.errors import BadInput
from callsheet.kit.ids import new_id
from callsheet.sessions.settings import SessionChange, SessionMode
from callsheet.wiring.application import Application

app = typer.Typer(add_completion=False)

_INTERRUPTED = 130


@app.command()
def chat(
    text: Annotated[
        str | None, typer.Argument(help="The message. Without: standard input, or a conversation.")
    ] = None,
    *,
    session: Annotated[
        str | None,
        typer.Option("--session", help="Go on with this one: an id, a name, or `recent`."),
    ] = None,
    workflow: Annotated[
        str | None, typer.Option("--workflow", help="A folder of crews/; else the default one.")
    ] = None,
    mode: Annotated[
        SessionMode | None,
        typer.Option(
            help="Set the session to it: in `plan` nothing is changed before a plan is approved."
        ),
    ] = None,
    user: Annotated[str, typer.Option("--user", help="In whose name.")] = LOCAL_USER,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print every event of the run as a line of JSON.")
    ] = False,
) -> None:
    """Run a turn in the terminal; no server is needed, and one may run beside it.

    The answer goes to standard output; stages, tools and cost go to standard error.
    """
    if text is None and not sys.stdin.isatty():
        text = sys.stdin.read()
    if text is not None and not text.strip():
        raise BadInput("There is no message.")
    try:
        work = _chat(
            text,
            session=session,
            workflow=workflow,
            mode=mode,
            principal=principal_named(user),
            as_json=as_json,
        )
        status = asyncio.run(work)
    except asyncio.CancelledError:
        status = _INTERRUPTED
    raise typer.Exit(status)


async def _chat(
    text: str | None,
    *,
    session: str | None,
    workflow: str | None,
    mode: SessionMode | None,
    principal: Principal,
    as_json: bool,
) -> int:
    settings = read_deployment().settings
    with Interrupts() as interrupts:
        async with Application(settings, kind="command") as application:
            await application.ready()
            if said := rehearsal_note(application):
                note(said)
            name = await _name(application, principal, session)
            session_id = session_id_of(principal, name)
            if mode is not None:
                await application.sessions.create(principal, session_id, None)
                await application.sessions.change(principal, session_id, SessionChange(mode=mode))
            conversation = Conversation(
                application=application,
                interrupts=interrupts,
                principal=principal,
                session_id=session_id,
                session_name=name,
                workflow=workflow,
                as_json=as_json,
            )
            if text is None:
                await conversation.loop()
                return 0
            printer = await conversation.turn(text)
            note(f"Go on with: callsheet chat --session {name}")
    if printer.cancelled:
        return _INTERRUPTED
    return 1 if printer.failed else 0


async def _name(application: Application, principal: Principal, session: str | None) -> str:
    """What the session is called on the wire; a new one where none is named."""
    if session is None:
        return str(new_id())
    if session != RECENT:
        return session
    async with application.core().database.read() as tx:
        return str((await find_named(tx, principal, RECENT)).id)
