"""`callsheet audit`: is the money right?"""

from __future__ import annotations

import asyncio
from typing import Annotated, Final

import typer

from callsheet.cli.console import OUT
from callsheet.cli.database import open_database
from callsheet.cli.table import text_table
from callsheet.ledger.audit import AuditResult, run_audit

app = typer.Typer(add_completion=False)

_PATIENCE_S: Final = 600.0


@app.command()
def audit(
    *,
    reports: Annotated[
        bool, typer.Option("--reports", help="Also show spend, uncertain calls and waste.")
    ] = False,
) -> None:
    """Run the audit queries of docs/cost-audit.md; status 1 when they find a difference."""
    results = asyncio.run(_results())
    differences = [each for each in results if each.query.kind == "differences"]
    for result in differences:
        found = len(result.rows)
        verdict = f"[red]{found} differ[/red]" if found else "[green]no difference[/green]"
        OUT.print(f"{result.query.number}. {result.query.title}: {verdict}")
        if found:
            _show(result)
    if reports:
        for result in results:
            if result.query.kind == "report":
                OUT.print(f"\n{result.query.number}. {result.query.title}")
                _show(result)
    if any(result.rows for result in differences):
        raise typer.Exit(1)


async def _results() -> tuple[AuditResult, ...]:
    async with open_database(statement_timeout_s=_PATIENCE_S) as database:
        return await run_audit(database)


def _show(result: AuditResult) -> None:
    OUT.print(text_table(result.columns, result.rows), soft_wrap=True, markup=False)
