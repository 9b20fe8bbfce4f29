"""`callsheet db ...`: the database, without knowing where it is."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, TypeVar

import asyncpg
import typer

from callsheet.cli.console import OUT, note
from callsheet.cli.database import database_url
from callsheet.cli.deployment import Deployment, read_deployment
from callsheet.cli.dump import dump, restore
from callsheet.cli.postgres_programs import run_program
from callsheet.db.engine import plain_url
from callsheet.db.migrate import current_revision, downgrade, migrate
from callsheet.kit.errors import SetupError

app = typer.Typer(add_completion=False, no_args_is_help=True, help="Look after the database.")

_T = TypeVar("_T")
_Yes = Annotated[bool, typer.Option("--yes", help="Do not ask.")]
_OTHERS = (
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
    "AND application_name LIKE 'callsheet%' AND pid <> pg_backend_pid()"
)


@app.command()
def url() -> None:
    """Print the database's address, password included."""
    deployment = read_deployment()
    OUT.print(asyncio.run(_with_url(deployment, plain_url)), soft_wrap=True, markup=False)
    if deployment.settings.database.url is None:
        note("The embedded server runs while a callsheet command uses it.")


@app.command(context_settings={"ignore_unknown_options": True, "allow_extra_args": True})
def psql(context: typer.Context) -> None:
    """Open psql on the database; what follows goes to psql (callsheet db psql -c 'SELECT 1')."""
    arguments = list(context.args)
    deployment = read_deployment()
    # Ctrl-C is psql's own: it stops a statement, not the session.
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        status = asyncio.run(_with_url(deployment, lambda url: run_program("psql", url, arguments)))
    finally:
        signal.signal(signal.SIGINT, before)
    raise typer.Exit(status)


@app.command(name="migrate")
def migrate_command() -> None:
    """Bring the database to this version's schema. `callsheet serve` does it too."""

    async def work() -> tuple[bool, str | None]:
        async with database_url(read_deployment()) as url:
            return await migrate(url), await current_revision(url)

    changed, revision = asyncio.run(work())
    OUT.print(f"{'migrated to' if changed else 'already at'} {revision}")


@app.command()
def backup(
    file: Annotated[Path, typer.Argument(help="Where to write it, in pg_dump's custom format.")],
    *,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file.")] = False,
) -> None:
    """Write the whole database to a file, while the server runs or not."""
    if file.exists() and not force:
        raise SetupError(f"{file} is there already; --force overwrites it.")
    if not file.parent.is_dir():
        raise SetupError(f"{file.parent} is no folder.")
    size = asyncio.run(_with_url(read_deployment(), lambda url: dump(url, file)))
    OUT.print(f"wrote {file} ({size:,} bytes)", soft_wrap=True, markup=False)


@app.command(name="restore")
def restore_command(
    file: Annotated[Path, typer.Argument(help="A file that `callsheet db backup` wrote.")],
    *,
    yes: _Yes = False,
) -> None:
    """Replace everything in the database by a backup. The server must not run."""
    if not file.is_file():
        raise SetupError(f"{file} is no file.")

    async def work() -> None:
        async with database_url(read_deployment()) as url:
            await _alone(url)
            _confirm(f"Replace everything in the database by {file}?", yes=yes)
            await asyncio.to_thread(restore, url, file)
            await migrate(url)

    asyncio.run(work())
    OUT.print(f"restored {file}", soft_wrap=True, markup=False)


@app.command()
def reset(*, yes: _Yes = False) -> None:
    """Delete everything in the database and make it anew. The server must not run."""

    async def work() -> None:
        async with database_url(read_deployment()) as url:
            await _alone(url)
            _confirm("Delete every session, message and ledger row?", yes=yes)
            if await current_revision(url) is not None:
                await downgrade(url, "base")
            await migrate(url)

    asyncio.run(work())
    OUT.print("the database is empty")


async def _with_url(deployment: Deployment, work: Callable[[str], _T]) -> _T:
    """Run blocking work on a database that answers."""
    async with database_url(deployment) as url:
        return await asyncio.to_thread(work, url)


async def _alone(url: str) -> None:
    """Raise SetupError while a server of ours is connected."""
    connection = await asyncpg.connect(plain_url(url))
    try:
        others = await connection.fetchval(_OTHERS)
    finally:
        await connection.close()
    if others:
        raise SetupError(
            f"{others} connections of a running Callsheet use this database: stop it first."
        )


def _confirm(question: str, *, yes: bool) -> None:
    """Go on only when a person says so; without one, --yes has to."""
    if yes:
        return
    typer.confirm(question, abort=True, err=True)
