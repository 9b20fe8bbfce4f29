"""`callsheet tools ...`: which tools there are, and one of them tried by hand."""

from __future__ import annotations

import asyncio
import sys
from typing import Annotated

import msgspec
import typer

from callsheet.api.tool_views import tool_view
from callsheet.auth.local import LOCAL_USER
from callsheet.auth.principal import principal_named
from callsheet.cli.console import OUT, note, warn
from callsheet.cli.deployment import read_deployment
from callsheet.cli.table import text_table
from callsheet.cli.tool_list import known_tools
from callsheet.tools.listed import ListedTool

app = typer.Typer(
    add_completion=False, no_args_is_help=True, help="List, show and call the tools for agents."
)

_COLUMNS = ("name", "source", "policy", "group", "summary", "available")
_INTERRUPTED = 130
_Name = Annotated[str, typer.Argument(help="The tool's name; `callsheet tools list` shows all.")]
_AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]


@app.command(name="list")
def list_command(*, as_json: _AsJson = False) -> None:
    """List every tool: who brings it, its policy, and whether it can be used now.

    What could not be taken in, and names that two bring, are warnings that name the owners.
    """
    deployment = read_deployment()
    known = known_tools(deployment)
    if as_json:
        language = deployment.settings.label_language
        items = [tool_view(tool, language) for tool in known.tools]
        _print_json({"items": items, "problems": list(known.problems)})
        return
    for problem in known.problems:
        warn(problem)
    rows = [_row(tool) for tool in known.tools]
    OUT.print(text_table(_COLUMNS, rows), soft_wrap=True, markup=False)


@app.command()
def show(name: _Name, *, as_json: _AsJson = False) -> None:
    """Show all that is known of a tool, with the schema of its arguments."""
    deployment = read_deployment()
    tool = known_tools(deployment).find(name)
    document = tool_view(tool, deployment.settings.label_language)
    if as_json:
        _print_json(document)
        return
    facts = tool.facts
    labels = ", ".join(f"{facts.label[key]} ({key})" for key in sorted(facts.label))
    lines = {
        "name": facts.name,
        "source": _source(tool),
        "policy": _policy(tool),
        "available": _available(tool),
        "group": facts.group,
        "label": labels or "none",
        "summary": facts.summary or "none",
        "side effect": facts.side_effect or "none",
        "wants approval": "yes" if facts.requires_approval else "no",
        "may be repeated": "yes" if facts.idempotent else "no",
        "description": facts.description,
        "instructions": facts.instructions or "none",
        "parameters": _indented(facts.parameters),
    }
    width = max(map(len, lines))
    for key, text in lines.items():
        value = text.replace("\n", "\n" + " " * (width + 2))
        OUT.print(f"{key:<{width}}  {value}", soft_wrap=True, markup=False)


@app.command()
def call(
    name: _Name,
    arguments: Annotated[
        str | None,
        typer.Argument(help="A JSON object; `-` reads standard input. Without: `{}`."),
    ] = None,
    *,
    session: Annotated[
        str | None,
        typer.Option("--session", help="In this session: an id, a name, or `recent`."),
    ] = None,
    user: Annotated[str, typer.Option("--user", help="In whose name.")] = LOCAL_USER,
    yes: Annotated[
        bool, typer.Option("--yes", help="Do not ask before a call that has to be allowed.")
    ] = False,
    as_json: _AsJson = False,
) -> None:
    """Call a tool as an agent would: arguments checked, policy asked, time bounded.

    The result goes to standard output, all about it to standard error.

    Status 1: the call failed or was not allowed. A tool that keeps something needs --session.
    """
    from callsheet.cli.tool_call import ToolCall  # noqa: PLC0415 - loads the whole application

    text = sys.stdin.read() if arguments == "-" else arguments or "{}"
    order = ToolCall(name, text, principal_named(user), session, allowed=yes)
    try:
        outcome = asyncio.run(order.run(read_deployment().settings))
    except asyncio.CancelledError:
        raise typer.Exit(_INTERRUPTED) from None
    if as_json:
        _print_json(
            {
                "tool": name,
                "status": outcome.status,
                "content": outcome.content,
                "latencyMs": outcome.latency_ms,
                "argsDigest": outcome.args_digest,
            }
        )
    else:
        OUT.print(outcome.content, soft_wrap=True, markup=False)
    if outcome.status == "error" and session is None:
        note("It was called without --session; a tool that keeps something fails then.")
    if outcome.status != "ok":
        raise typer.Exit(1)


def _row(tool: ListedTool) -> tuple[str, ...]:
    facts = tool.facts
    return (
        facts.name,
        _source(tool),
        _policy(tool),
        facts.group,
        facts.summary,
        _available(tool),
    )


def _source(tool: ListedTool) -> str:
    facts = tool.facts
    # A server's own name for it, which a hash may hide.
    own = "" if facts.own_name is None else f" {facts.own_name!r}"
    return f"{facts.owner}{own} ({facts.origin})"


def _policy(tool: ListedTool) -> str:
    return tool.policy or "not listed"


def _available(tool: ListedTool) -> str:
    return "yes" if tool.unavailable is None else f"no: {tool.unavailable}"


def _indented(value: object) -> str:
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode()


def _print_json(value: object) -> None:
    OUT.print(_indented(value), soft_wrap=True, markup=False)
