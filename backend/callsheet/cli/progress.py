"""How far a long command is: on a terminal alone, beside its answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from callsheet.cli.console import ERR


@contextmanager
def progress(what: str, total: int | None = None) -> Iterator[Callable[[int], None]]:
    """A bar on standard error until the block ends; call what it gives with each step.

    Without `total` it moves and says no number. Where standard error is no terminal that can
    draw, nothing is written.
    """
    columns = [TextColumn("{task.description}"), BarColumn()]
    if total is not None:
        columns += [MofNCompleteColumn(), TimeRemainingColumn()]
    quiet = not ERR.is_terminal or ERR.is_dumb_terminal
    with Progress(*columns, console=ERR, transient=True, disable=quiet) as bar:
        task = bar.add_task(what, total=total)
        yield lambda steps: bar.advance(task, steps)
