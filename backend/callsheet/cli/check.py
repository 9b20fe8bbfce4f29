"""`callsheet check`: would this configuration run?"""

from __future__ import annotations

import asyncio

import typer

from callsheet.cli.configuration import configuration_of
from callsheet.cli.console import OUT, counted, note, warn
from callsheet.cli.deployment import read_deployment
from callsheet.cli.stored_prices import stored_prices
from callsheet.ledger.currency import UNRATED
from callsheet.wiring.tools import make_registry
from callsheet.workflows.check import UNPRICED

app = typer.Typer(add_completion=False)


@app.command()
def check() -> None:
    """Check config/ and crews/: every problem with file, line and column; status 1 if any."""
    deployment = read_deployment()
    registry = make_registry(deployment.settings)
    found = configuration_of(deployment, registry=registry)
    if any(word in each.message for each in found.problems for word in (UNPRICED, UNRATED)):
        # Prices and rates can be entered while the server runs: they are in the database alone.
        found = configuration_of(deployment, asyncio.run(stored_prices(deployment)), registry)
    problems = [str(problem) for problem in found.problems]
    if found.strict:
        problems += [str(problem) for problem in found.tools]
    else:
        for left_out in found.tools:
            warn(str(left_out))
    for problem in problems:
        OUT.print(problem, soft_wrap=True, markup=False)
    if problems:
        note(counted(len(problems), "problem"))
        raise typer.Exit(1)
    OUT.print(
        f"{deployment.folders.config} and {deployment.folders.crews} are sound "
        f"(workflows: {', '.join(found.workflows)})",
        soft_wrap=True,
        markup=False,
    )
