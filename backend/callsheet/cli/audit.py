"""`callsheet audit`: is the money right?"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from decimal import Decimal
from typing import Annotated, Any, Final

import typer

from callsheet.cli.console import OUT
from callsheet.cli.database import open_database
from callsheet.cli.progress import progress
from callsheet.cli.table import text_table
from callsheet.kit.json import encode
from callsheet.ledger.audit.audit import QUERIES, AuditResult, audit_results
from callsheet.ledger.audit.query import AuditQuery

app = typer.Typer(add_completion=False)

_PATIENCE_S: Final = 3600.0


@app.command(
    epilog="Status: 0 all is well, 1 a query found a difference, 2 the set-up is wrong. "
    "The queries and what they mean are in docs/cost-audit.md."
)
def audit(
    *,
    reports: Annotated[
        bool, typer.Option("--reports", help="Also show spend, uncertain calls, waste and more.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Write one JSON value.")] = False,
) -> None:
    """Run the audit queries of docs/cost-audit.md; status 1 when they find a difference."""
    queries = [query for query in QUERIES if reports or query.kind == "differences"]
    results = asyncio.run(_results(queries))
    found = sum(len(each.rows) for each in results if each.query.kind == "differences")
    if as_json:
        sys.stdout.buffer.write(_json(results, found) + b"\n")
    else:
        _show(results)
    if found:
        raise typer.Exit(1)


async def _results(queries: Sequence[AuditQuery]) -> list[AuditResult]:
    results: list[AuditResult] = []
    async with open_database(statement_timeout_s=_PATIENCE_S) as database:
        with progress("auditing", len(queries)) as advance:
            async for result in audit_results(database, queries):
                results.append(result)
                advance(1)
    return results


def _json(results: Sequence[AuditResult], found: int) -> bytes:
    """Rows are lists in the order of `columns`; money is text, so that no reader rounds it."""
    told = [
        {
            "number": each.query.number,
            "title": each.query.title,
            "kind": each.query.kind,
            "columns": each.columns,
            "rows": [[_plain(value) for value in row] for row in each.rows],
        }
        for each in results
    ]
    return encode({"differences": found, "queries": told})


def _plain(value: Any) -> Any:
    """Decimals with the places of their column and without an exponent."""
    return f"{value:f}" if isinstance(value, Decimal) else value


def _show(results: Sequence[AuditResult]) -> None:
    """Differences first, then what there is to read."""
    for result in results:
        if result.query.kind == "differences":
            found = len(result.rows)
            verdict = f"[red]{found} differ[/red]" if found else "[green]no difference[/green]"
            OUT.print(f"{result.query.number}. {result.query.title}: {verdict}", soft_wrap=True)
            if found:
                _table(result)
    for result in results:
        if result.query.kind == "report":
            OUT.print(f"\n{result.query.number}. {result.query.title}", soft_wrap=True)
            _table(result)


def _table(result: AuditResult) -> None:
    OUT.print(text_table(result.columns, result.rows), soft_wrap=True, markup=False)
