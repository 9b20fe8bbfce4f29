"""`callsheet keys ...`: keys for callers, made, looked at and revoked."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta
from typing import Annotated

import typer

from callsheet.auth.key import LONGEST_LABEL, SHOWN_CHARS, KeyRecord, make_key
from callsheet.auth.key_store import find_named, insert_key, list_keys, revoke_key
from callsheet.auth.principal import ADMIN, LONGEST_NAME, is_name, principal_named
from callsheet.cli.console import OUT, note
from callsheet.cli.database import open_database
from callsheet.cli.table import text_table
from callsheet.kit.clock import SystemClock
from callsheet.kit.errors import BadInput, Conflict, NotFound
from callsheet.kit.pages import LARGEST_PAGE

app = typer.Typer(
    add_completion=False, no_args_is_help=True, help="Make, list and revoke callers' keys."
)

_COLUMNS = ("prefix", "user", "label", "scopes", "state", "made", "expires", "last used (UTC)")
_LONGEST_LIFE_DAYS = 3650


@app.command()
def create(
    *,
    user: Annotated[str, typer.Option("--user", help="Whose it is; a new name is a new user.")],
    label: Annotated[str, typer.Option("--label", help="What it is for.")] = "",
    admin: Annotated[
        bool, typer.Option("--admin", help="With the scope for prices, quotas and all reports.")
    ] = False,
    expires_in_days: Annotated[
        int | None,
        typer.Option(
            "--expires-in-days", min=1, max=_LONGEST_LIFE_DAYS, help="Unset: it does not expire."
        ),
    ] = None,
) -> None:
    """Make a key and write it to standard output: it can never be shown again."""
    _check(user, label)
    owner = principal_named(user, frozenset({ADMIN} if admin else ()))
    days = expires_in_days
    expires_at = None if days is None else SystemClock().now() + timedelta(days=days)
    key = make_key()

    async def work() -> None:
        async with open_database() as database, database.transaction() as tx:
            await insert_key(tx, key, owner, label, expires_at)

    asyncio.run(work())
    OUT.print(key, soft_wrap=True, markup=False)
    until = "it does not expire" if expires_at is None else f"until {_moment(expires_at)} UTC"
    rights = "with the scope admin" if admin else "without scopes"
    note(f"A key of {user}, {rights}, {until}. Keep it now: only its hash is stored.")


@app.command(name="list")
def list_command(
    *,
    user: Annotated[str | None, typer.Option("--user", help="Only this user's.")] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, max=LARGEST_PAGE, help="How many.")] = 50,
) -> None:
    """List keys, newest first; expired and revoked ones too."""

    async def work() -> tuple[KeyRecord, ...]:
        async with open_database() as database, database.read() as tx:
            return await list_keys(tx, user, limit + 1)

    records, now = asyncio.run(work()), SystemClock().now()
    rows = [_row(record, now) for record in records[:limit]]
    OUT.print(text_table(_COLUMNS, rows), soft_wrap=True, markup=False)
    if len(records) > limit:
        note(f"There are more; --limit shows up to {LARGEST_PAGE}.")


@app.command()
def revoke(
    key: Annotated[str, typer.Argument(help=f"Its first {SHOWN_CHARS} characters, or its id.")],
) -> None:
    """Let a key in no more; every server knows within three seconds."""

    async def work() -> tuple[KeyRecord, bool]:
        async with open_database() as database, database.transaction() as tx:
            found = await find_named(tx, key)
            if not found:
                raise NotFound("There is no such key; `callsheet keys list` shows all.")
            if len(found) > 1:
                ids = ", ".join(str(record.id) for record in found)
                raise Conflict(f"Several keys begin so; name one by its id: {ids}.")
            return found[0], await revoke_key(tx, found[0].id)

    record, was_active = asyncio.run(work())
    OUT.print(f"revoked {record.prefix} of {record.user_name}", soft_wrap=True, markup=False)
    if not was_active:
        note("It had been revoked before.")


def _check(user: str, label: str) -> None:
    if not is_name(user):
        raise BadInput(
            f"--user has to be 1 to {LONGEST_NAME} printable characters, without space around.",
            field="user",
        )
    if len(label) > LONGEST_LABEL or not label.isprintable():
        raise BadInput(
            f"--label has to be at most {LONGEST_LABEL} printable characters.", field="label"
        )


def _row(record: KeyRecord, now: datetime) -> tuple[str, ...]:
    return (
        record.prefix,
        record.user_name,
        record.label,
        " ".join(record.scopes),
        record.state(now),
        _moment(record.created_at),
        _moment(record.expires_at),
        _moment(record.last_used_at),
    )


def _moment(at: datetime | None) -> str:
    return "" if at is None else f"{at:%Y-%m-%d %H:%M}"
