"""`callsheet doctor`: what is missing, and how to mend it."""

from __future__ import annotations

import asyncio

import typer
from rich.markup import escape

from callsheet.cli import mcp_servers
from callsheet.cli.configuration import Configuration, configuration_of
from callsheet.cli.console import ERR, OUT, counted
from callsheet.cli.database_findings import database
from callsheet.cli.deployment import read_deployment
from callsheet.cli.finding import Finding
from callsheet.cli.machine import machine
from callsheet.cli.sandbox_findings import sandbox
from callsheet.wiring.tools import make_registry

app = typer.Typer(add_completion=False)

_MARKS = {"ok": "[green]ok[/green]", "warning": "[yellow]!![/yellow]", "missing": "[red]no[/red]"}
_PROBLEMS_SHOWN = 3


@app.command()
def doctor() -> None:
    """Look at each thing Callsheet depends on. Status 1 when something must be mended."""
    deployment = read_deployment()
    findings = machine(deployment.folders, deployment.settings.server)
    registry = make_registry(deployment.settings)
    configuration = configuration_of(deployment, registry=registry)
    findings += [_files(configuration), *_tools(configuration), *_keys(configuration)]
    findings += mcp_servers.findings(deployment, registry)
    with ERR.status("asking the database"):
        findings += asyncio.run(database(deployment))
    findings.append(asyncio.run(sandbox(deployment)))
    for finding in findings:
        line = f"{_MARKS[finding.state]}  {escape(finding.subject)}: {escape(finding.detail)}"
        OUT.print(line, soft_wrap=True)
        if finding.mend:
            OUT.print(f"    {finding.mend}", soft_wrap=True, markup=False)
    if any(finding.state == "missing" for finding in findings):
        raise typer.Exit(1)


def _files(configuration: Configuration) -> Finding:
    count = len(configuration.problems)
    if not count:
        return Finding("configuration", "ok", f"workflows: {', '.join(configuration.workflows)}")
    first = "\n    ".join(str(problem) for problem in configuration.problems[:_PROBLEMS_SHOWN])
    told = f"{counted(count, 'problem')}; see `callsheet check`"
    return Finding("configuration", "missing", told, first)


def _tools(configuration: Configuration) -> list[Finding]:
    """Nothing where all tools that there should be are there."""
    if not configuration.tools:
        return []
    count, told = len(configuration.tools), "\n    ".join(map(str, configuration.tools))
    if configuration.strict:
        detail = f"{counted(count, 'problem')}; with CALLSHEET_TOOLS__FAIL_FAST no server starts"
        return [Finding("tools", "missing", detail, told)]
    return [Finding("tools", "warning", f"left out: {counted(count, 'problem')}", told)]


def _keys(configuration: Configuration) -> list[Finding]:
    """One line for the keys that are set, one for those that are not."""
    present = [key for key in configuration.keys if key.is_set]
    absent = [key for key in configuration.keys if not key.is_set]
    if not configuration.keys:
        return []
    if not present and not configuration.is_played:
        return [Finding("model keys", "ok", "none, and no model needs one")]
    if not present:
        example = absent[0].variable
        return [
            Finding(
                "model keys",
                "warning",
                "none; a rehearsal model answers in the place of every model that needs one",
                f"Set a key, for instance {example}, or connect an endpoint of your own (README).",
            )
        ]
    named = ", ".join(key.factory for key in present)
    findings = [Finding("model keys", "ok", named)]
    if absent:
        missing = ", ".join(key.variable for key in absent)
        findings.append(Finding("no key for", "ok", f"{missing} (needed only where used)"))
    return findings
