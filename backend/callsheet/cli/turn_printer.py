"""What a turn looks like in a terminal: the answer on one stream, all about it on the other."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import TextIO

from rich.console import Console
from rich.markup import escape

from callsheet.agui.artifact_activity import ARTIFACT
from callsheet.agui.todo_activity import TODO
from callsheet.cli.answers import told
from callsheet.events.activity import ActivityShown
from callsheet.events.agent import AgentStarted
from callsheet.events.call import LlmCallFinished
from callsheet.events.entry import Entry
from callsheet.events.run import RunCancelled, RunFailed, RunFinished, RunPaused, RunStarted
from callsheet.events.source import SourceFound
from callsheet.events.stage import StageRetried, StageSkipped, StageStarted
from callsheet.events.text import TextDelta, TextStarted
from callsheet.events.tool import ToolCallArgs, ToolCallStarted, ToolResult
from callsheet.events.usage import ModelUsage
from callsheet.kit.text import printable
from callsheet.todos.todo_list import MARKS

_LONGEST_SHOWN = 100


@dataclass(slots=True)
class TurnPrinter:
    """Prints the entries of one run as they come; `failed` and `cancelled` say how it ended.

    The visible answer goes to `answer`, so that it can be piped away alone. `quiet`: only the end
    is looked at.
    """

    answer: TextIO
    about: Console
    quiet: bool = False
    failed: bool = False
    cancelled: bool = False
    _visible: set[str] = field(default_factory=set)
    _last_message: str | None = None
    _in_line: bool = False
    _arguments: dict[str, str] = field(default_factory=dict)
    _before: RunStarted | None = None
    _calls: int = 0
    _estimated: bool = False
    _began: datetime | None = None

    def show(self, entry: Entry) -> None:
        """Print what this entry adds; most add nothing."""
        if self._began is None:
            self._began = entry.at
        if self.quiet:
            self.failed = isinstance(entry.event, RunFailed)
            self.cancelled = isinstance(entry.event, RunCancelled)
            return
        match entry.event:
            case TextDelta() as delta:
                self._text(delta)
            case TextStarted() as started if started.visible:
                self._visible.add(started.message_id)
            case StageStarted() | StageSkipped() | StageRetried() | AgentStarted() as step:
                self._step(step)
            case (
                ToolCallStarted()
                | ToolCallArgs()
                | ActivityShown()
                | SourceFound()
                | ToolResult() as tool
            ):
                self._tool(tool)
            case RunStarted() as before:
                self._before = before
            case LlmCallFinished() as call if call.status != "refused":
                self._calls += 1
                self._estimated |= call.metered.source == "estimated"
            case RunFinished() | RunFailed() | RunCancelled() | RunPaused() as end:
                self._end(end, entry.at, self._began)
            case _:
                pass

    def _text(self, delta: TextDelta) -> None:
        if delta.message_id not in self._visible:
            return
        if self._last_message not in (None, delta.message_id):
            self._leave_line()
        self._last_message = delta.message_id
        self.answer.write(printable(delta.text) if self.answer.isatty() else delta.text)
        self.answer.flush()
        self._in_line = not delta.text.endswith("\n")

    def _step(self, step: StageStarted | StageSkipped | StageRetried | AgentStarted) -> None:
        match step:
            case StageStarted():
                self._say(f"[bold]▸ {escape(step.stage)}[/bold]")
            case AgentStarted():
                self._say(f"  {escape(step.label)}")
            case StageSkipped():
                self._say(f"▸ {escape(step.stage)} skipped: {escape(step.rule)}")
            case StageRetried():
                self._say(f"▸ {escape(step.stage)} again, attempt {step.attempt}: {step.code}")

    def _tool(
        self,
        tool: ToolCallStarted | ToolCallArgs | ActivityShown | SourceFound | ToolResult,
    ) -> None:
        match tool:
            case ActivityShown():
                self._shown(tool)
            case ToolCallStarted():
                self._arguments[tool.tool_call_id] = ""
            case ToolCallArgs():
                self._arguments[tool.tool_call_id] += tool.text
            case SourceFound():
                named = escape(f"[{tool.number}] {printable(tool.title)} {printable(tool.url)}")
                self._say(f"    [dim]{named}[/dim]")
            case ToolResult():
                # A call that waited was written in the run before, so nothing of it is known here.
                arguments = _shown(self._arguments.pop(tool.tool_call_id, ""))
                called = f"{escape(arguments)} " if arguments else ""
                colour = "cyan" if tool.status == "ok" else "yellow"
                self._say(
                    f"  [{colour}]{escape(tool.tool)}[/{colour}] {called}"
                    f"→ {escape(_shown(tool.content))}"
                )

    def _shown(self, shown: ActivityShown) -> None:
        if shown.activity == TODO:
            self._todo(shown)
        elif shown.activity == ARTIFACT:
            kept = shown.content
            size = f"{kept['sizeBytes']:,} bytes"
            line = f"  file {printable(kept['name'])} · {kept['mediaType']} · {size}"
            self._say(escape(line))

    def _todo(self, shown: ActivityShown) -> None:
        self._say(f"  [bold]{escape(printable(shown.content['title']))}[/bold]")
        for item in shown.content["items"]:
            self._say(escape(f"    {MARKS[item['status']]} {printable(item['label'])}"))

    def _end(
        self,
        end: RunFinished | RunFailed | RunCancelled | RunPaused,
        at: datetime,
        began: datetime,
    ) -> None:
        match end:
            case RunFailed():
                self.failed = True
                self._say(f"[red]{escape(end.message)}[/red] ({escape(end.code)})")
            case RunCancelled():
                self.cancelled = True
                self._say(f"[yellow]stopped ({escape(end.reason)})[/yellow]")
            case RunPaused():
                for interrupt in end.interrupts:
                    self._say(f"[yellow]?[/yellow] {escape(told(interrupt))}")
            case RunFinished():
                self._leave_line()
        seconds = (at - began).total_seconds()
        line = cost_line(end.usage, self._calls, seconds, estimated=self._estimated)
        self._say(f"[dim]{line}{session_part(self._before, end.usage)}[/dim]")

    def _say(self, markup: str) -> None:
        self._leave_line()
        self.about.print(markup, soft_wrap=True)

    def _leave_line(self) -> None:
        if self._in_line:
            self.answer.write("\n")
            self.answer.flush()
            self._in_line = False


def cost_line(
    usage: tuple[ModelUsage, ...], calls: int, seconds: float, *, estimated: bool = False
) -> str:
    """Cost, tokens and time of a run in one line; the cost to the ledger's six places."""
    if not usage and not calls:
        return f"no model was called · {seconds:.1f} s"
    cost = _cost(usage)
    currency = usage[0].currency if usage else ""
    tokens_in = sum(each.usage.input_tokens for each in usage)
    tokens_out = sum(each.usage.output_tokens for each in usage)
    models = ", ".join(sorted({each.model for each in usage})) or "no model"
    return (
        money_part(usage, f"{cost:.6f} {currency}".rstrip())
        + (" (partly estimated)" if estimated else "")
        + f" · {tokens_in:,} tokens in, {tokens_out:,} out "
        f"· {calls} {'call' if calls == 1 else 'calls'} of {models} · {seconds:.1f} s"
    )


def money_part(usage: tuple[ModelUsage, ...], cost: str) -> str:
    """The cost, unless there was no price."""
    unpriced = [each.unpriced for each in usage]
    if not any(unpriced):
        return cost
    return "unpriced" if all(unpriced) else f"{cost} and what is unpriced"


def session_part(before: RunStarted | None, usage: tuple[ModelUsage, ...]) -> str:
    """What the session has cost with this run, where the journal knows what it cost before."""
    if before is None or before.currency is None:
        return ""
    unpriced = " and what is unpriced" if any(each.unpriced for each in usage) else ""
    return f" · session {before.session_cost + _cost(usage):.6f} {before.currency}{unpriced}"


def _cost(usage: tuple[ModelUsage, ...]) -> Decimal:
    return sum((each.cost for each in usage), Decimal(0))


def _shown(text: str) -> str:
    """One line of it, cut where it is long."""
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST_SHOWN else f"{line[:_LONGEST_SHOWN]}…"
