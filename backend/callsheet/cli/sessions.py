"""`callsheet sessions ...`: conversations without a browser."""

from __future__ import annotations

import asyncio
from typing import Annotated

import typer
from rich.markup import escape

from callsheet.artifacts.store import delete_of_session
from callsheet.auth.local import LOCAL_USER
from callsheet.auth.principal import Principal, principal_named
from callsheet.cli.console import OUT, counted, note
from callsheet.cli.database import open_database
from callsheet.cli.deployment import read_deployment
from callsheet.cli.session_files import files
from callsheet.cli.session_reference import find_named
from callsheet.cli.table import text_table
from callsheet.kit.errors import Conflict
from callsheet.kit.pages import LARGEST_PAGE, PageRequest
from callsheet.kit.text import printable
from callsheet.runs.store import find_active
from callsheet.sessions.message import MessageRecord
from callsheet.sessions.message_store import list_messages
from callsheet.sessions.session import SessionRecord
from callsheet.sessions.store import delete_session, list_sessions
from callsheet.todos.store import find_list
from callsheet.todos.todo_list import TodoList, as_text

app = typer.Typer(
    add_completion=False, no_args_is_help=True, help="List, show and delete conversations."
)

_User = Annotated[
    str, typer.Option("--user", help="Whose; the name that a key was made for, or a token's sub.")
]
_Session = Annotated[str, typer.Argument(help="An id, a client's own name, or `recent`.")]


@app.command(name="list")
def list_command(
    *,
    user: _User = LOCAL_USER,
    limit: Annotated[int, typer.Option("--limit", min=1, max=LARGEST_PAGE, help="How many.")] = 20,
) -> None:
    """List sessions, pinned ones and then most recent activity first."""

    async def work() -> tuple[tuple[SessionRecord, ...], bool]:
        async with open_database() as database, database.read() as tx:
            page = await list_sessions(tx, principal_named(user).user_id, PageRequest(limit=limit))
            return page.items, page.next_cursor is not None

    records, more = asyncio.run(work())
    rows = [
        (
            record.id,
            record.title or "",
            record.status,
            record.message_count,
            record.total_tokens,
            record.total_cost,
            f"{record.last_activity_at:%Y-%m-%d %H:%M}",
        )
        for record in records
    ]
    cost = f"cost ({read_deployment().settings.currency})"
    heads = ("id", "title", "status", "messages", "tokens", cost, "last activity (UTC)")
    OUT.print(text_table(heads, rows), soft_wrap=True, markup=False)
    if more:
        note(f"There are more; --limit shows up to {LARGEST_PAGE}.")


@app.command()
def show(session: _Session = "recent", *, user: _User = LOCAL_USER) -> None:
    """Show a session's messages with what each cost."""
    record, messages, todo = asyncio.run(_read(principal_named(user), session))
    currency = read_deployment().settings.currency
    OUT.print(f"[bold]{escape(record.title or 'untitled')}[/bold]  {record.id}", soft_wrap=True)
    for message in messages:
        OUT.print(f"\n[dim]{escape(_head(message))}[/dim]", soft_wrap=True)
        if message.content:
            OUT.print(message.content, soft_wrap=True, markup=False)
    if todo is not None:
        OUT.print(f"\n[dim]todo list, {todo.status}[/dim]")
        OUT.print(printable(as_text(todo.title, todo.items)), soft_wrap=True, markup=False)
    OUT.print(
        f"\n[dim]{counted(record.message_count, 'message')}, {record.total_tokens} tokens, "
        f"{record.total_cost} {currency}[/dim]",
        soft_wrap=True,
    )


app.command()(files)


@app.command()
def delete(
    session: _Session,
    *,
    user: _User = LOCAL_USER,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Delete a session and its messages; what it cost stays in the ledger."""
    principal = principal_named(user)

    async def work() -> SessionRecord:
        async with open_database() as database:
            async with database.read() as tx:
                record = await find_named(tx, principal, session)
            if not yes:
                named = printable(record.title or str(record.id))
                typer.confirm(f"Delete {named}?", abort=True, err=True)
            async with database.transaction() as tx:
                if await find_active(tx, record.id) is not None:
                    raise Conflict("A run of this session is under way; stop it first.")
                await delete_of_session(tx, record.id)
                await delete_session(tx, record.id, principal.user_id)
            return record

    OUT.print(f"deleted {asyncio.run(work()).id}")


async def _read(
    principal: Principal, session: str
) -> tuple[SessionRecord, tuple[MessageRecord, ...], TodoList | None]:
    async with open_database() as database, database.read() as tx:
        record = await find_named(tx, principal, session)
        messages: list[MessageRecord] = []
        request = PageRequest(limit=LARGEST_PAGE)
        while True:
            page = await list_messages(tx, record.id, request)
            messages += page.items
            if page.next_cursor is None:
                return record, tuple(messages), await find_list(tx, record.id)
            request = PageRequest(limit=LARGEST_PAGE, cursor=page.next_cursor)


def _head(message: MessageRecord) -> str:
    """Place, role, where it came from, and its price."""
    meta = message.metadata
    parts = [f"{message.seq}", message.tool_name or message.role]
    parts += [str(meta[key]) for key in ("stage", "agent") if key in meta]
    if message.model_code:
        parts.append(message.model_code)
        parts.append(f"{message.input_tokens} in, {message.output_tokens} out")
        parts.append(f"{message.cost} {message.currency}")
    if meta.get("status") not in (None, "final"):
        parts.append(str(meta["status"]))
    return " · ".join(parts)
