"""`callsheet check`: would this configuration run?"""

from __future__ import annotations

import typer

from callsheet.cli.configuration import configuration_of
from callsheet.cli.console import OUT, note
from callsheet.cli.deployment import read_deployment

app = typer.Typer(add_completion=False)


@app.command()
def check() -> None:
    """Check config/ and crews/: every problem with file, line and column; status 1 if any."""
    deployment = read_deployment()
    found = configuration_of(deployment)
    for problem in found.problems:
        OUT.print(str(problem), soft_wrap=True, markup=False)
    if found.problems:
        note(f"{len(found.problems)} problems")
        raise typer.Exit(1)
    OUT.print(
        f"{deployment.folders.config} and {deployment.folders.crews} are sound "
        f"(workflows: {', '.join(found.workflows)})",
        soft_wrap=True,
        markup=False,
    )
