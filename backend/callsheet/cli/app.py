"""The console script. A command's module is imported when it is called: the start is quick."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

import typer
from typer.core import TyperCommand, TyperGroup

from callsheet.kit.errors import AppError, SetupError

COMMANDS: Final[Mapping[str, str]] = {
    "serve": "Start the server.",
    "worker": "Work on runs that servers have let in, without HTTP.",
    "chat": "Run one turn, or a conversation, in the terminal.",
    "check": "Check the configuration: every problem with file, line and column.",
    "init": "Write config/, crews/ and .env into a folder, to edit them.",
    "tools": "List, show and call the tools that agents may be given.",
    "sessions": "List, show and delete conversations.",
    "keys": "Make, list and revoke callers' keys.",
    "quota": "Show and set what users may spend.",
    "report": "Add up what was spent: as a table, CSV, JSON or Parquet.",
    "reprice": "Say what a period would cost under other prices.",
    "reconcile": "Compare a provider's bill with the ledger, and store what differs.",
    "prices": "What models cost: list, show, set, import, suggest, check, rates.",
    "audit": "Check the money: differences between ledger, messages and sessions.",
    "db": "Look after the database: url, psql, migrate, backup, restore, reset.",
    "sandbox": "Build the image that Python programs run in, and try it.",
    "doctor": "Check what Callsheet depends on, and say how to mend it.",
    "version": "Say which version this is.",
}
# Python ends with this status when its output goes into a closed pipe.
_CLOSED_PIPE: Final = 141


class LazyCommands(TyperGroup):
    """A group that knows its commands' names and help, and loads the one that is called."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands = {name: TyperCommand(name, help=line) for name, line in COMMANDS.items()}

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """The real command instead of its line in the list; its module has an `app`."""
        name, _, rest = super().resolve_command(ctx, args)
        if name is None:
            return None, None, rest
        module = importlib.import_module(f"callsheet.cli.{name}")
        return name, typer.main.get_command(cast(typer.Typer, module.app)), rest


app = typer.Typer(
    cls=LazyCommands,
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Self-hosted agent chat: crews in YAML, any AG-UI frontend, every token priced.",
)


@app.callback()
def _root() -> None:
    """Only commands do anything."""


def main() -> None:
    """The console script `callsheet`."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """The exit status: 0 done, 1 the answer is no, 2 something is set up wrongly."""
    try:
        app(args=list(arguments), prog_name="callsheet", standalone_mode=True)
    except SystemExit as done:
        return done.code if isinstance(done.code, int) else 1
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _CLOSED_PIPE
    except (AppError, SetupError) as error:
        return _say(error)
    except BaseExceptionGroup as group:
        expected = _first_expected(group)
        if expected is None:
            raise
        return _say(expected)
    return 0


def _say(error: AppError | SetupError) -> int:
    typer.secho(str(error), fg=typer.colors.RED, err=True)
    return 2 if isinstance(error, SetupError) else 1


def _first_expected(group: BaseExceptionGroup[BaseException]) -> AppError | SetupError | None:
    """What a task group wrapped, where all of it is expected."""
    expected, other = group.split((AppError, SetupError))
    if expected is None or other is not None:
        return None
    first: BaseException = expected
    while isinstance(first, BaseExceptionGroup):
        first = first.exceptions[0]
    return cast(AppError | SetupError, first)
