"""`callsheet check`: would this configuration run?"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import typer

from callsheet.cli.configuration import configuration_of
from callsheet.cli.configured_models import ConfiguredModel, configured_models
from callsheet.cli.console import OUT, counted, note
from callsheet.cli.deployment import Deployment, read_deployment
from callsheet.cli.stored_prices import models_priced_in_database
from callsheet.kit.clock import SystemClock
from callsheet.kit.errors import ConfigError
from callsheet.workflows.check import UNPRICED

app = typer.Typer(add_completion=False)


@app.command()
def check() -> None:
    """Check config/ and crews/: every problem with file, line and column; status 1 if any."""
    deployment = read_deployment()
    found = configuration_of(deployment)
    if any(UNPRICED in problem.message for problem in found.problems):
        # Prices can be entered while the server runs: then they are in the database alone.
        names = frozenset((each.factory, each.model_code) for each in _models(deployment))
        stored = asyncio.run(models_priced_in_database(deployment, names, SystemClock()))
        found = configuration_of(deployment, stored)
    for problem in found.problems:
        OUT.print(str(problem), soft_wrap=True, markup=False)
    if found.problems:
        note(counted(len(found.problems), "problem"))
        raise typer.Exit(1)
    OUT.print(
        f"{deployment.folders.config} and {deployment.folders.crews} are sound "
        f"(workflows: {', '.join(found.workflows)})",
        soft_wrap=True,
        markup=False,
    )


def _models(deployment: Deployment) -> Sequence[ConfiguredModel]:
    """The models of the files; none where these cannot be read, which has its own problems."""
    try:
        return configured_models(deployment)
    except ConfigError:
        return ()
