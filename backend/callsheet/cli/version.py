"""`callsheet version`."""

from __future__ import annotations

import platform
from importlib import metadata

import typer

from callsheet.cli.console import OUT

app = typer.Typer(add_completion=False)


@app.command()
def version() -> None:
    """Say which version this is, with what it runs on."""
    parts = [f"{name} {metadata.version(name)}" for name in ("crewai", "ag-ui-protocol")]
    parts.append(f"Python {platform.python_version()}")
    OUT.print(f"callsheet {metadata.version('callsheet')} ({', '.join(parts)})", soft_wrap=True)
