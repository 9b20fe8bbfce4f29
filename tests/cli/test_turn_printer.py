"""A turn in the terminal: the answer on one stream, everything else on the other."""

from __future__ import annotations

import io
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import msgspec
from rich.console import Console

from callsheet.cli.turn_printer import TurnPrinter
from callsheet.events.activity import ActivityShown
from callsheet.events.agent import AgentStarted
from callsheet.events.call import CallStatus, LlmCallFinished
from callsheet.events.entry import Entry
from callsheet.events.run import RunCancelled, RunFailed, RunFinished, RunStarted
from callsheet.events.source import SourceFound
from callsheet.events.stage import StageRetried, StageSkipped, StageStarted
from callsheet.events.text import TextDelta, TextStarted
from callsheet.events.tool import ToolCallArgs, ToolCallStarted, ToolResult
from callsheet.events.union import AnyRunEvent
from callsheet.events.usage import MeteredUsage, ModelUsage, Usage, UsageSource

START = datetime(2026, 11, 30, 8, 15, tzinfo=UTC)
USAGE = (
    ModelUsage(
        factory="qwen",
        model="qwen3.5-flash",
        usage=Usage(input_tokens=1200, output_tokens=34),
        cost=Decimal("0.0001336"),
        currency="USD",
    ),
)
RUN = RunStarted(workflow="chat", revision="r", session_id="s", trace_id="t")


def printed(*events: AnyRunEvent, quiet: bool = False) -> tuple[str, str, TurnPrinter]:
    answer, about = io.StringIO(), io.StringIO()
    console = Console(file=about, width=200, color_system=None)
    printer = TurnPrinter(answer=answer, about=console, quiet=quiet)
    for seq, event in enumerate(events, start=1):
        printer.show(Entry(seq=seq, at=START + timedelta(milliseconds=500 * seq), event=event))
    return answer.getvalue(), about.getvalue(), printer


def call(status: CallStatus = "settled", source: UsageSource = "provider") -> LlmCallFinished:
    return LlmCallFinished(
        call_id="c",
        message_id="m",
        status=status,
        metered=MeteredUsage(usage=Usage(), source=source),
        cost_native=Decimal(0),
        cost_exact=Decimal(0),
        latency_ms=1,
    )


def text(message_id: str, words: str, *, visible: bool = True) -> tuple[AnyRunEvent, ...]:
    return (
        TextStarted(message_id=message_id, agent_run_id="a", visible=visible),
        TextDelta(message_id=message_id, text=words),
    )


def test_only_the_visible_text_is_the_answer() -> None:
    answer, about, printer = printed(
        RUN,
        StageStarted(stage="intent"),
        AgentStarted(agent_run_id="a", agent="router", label="理解", stage="intent", task="t"),
        call(),
        *text("m1", '{"route": "chat"}', visible=False),
        StageSkipped(stage="organization", rule='x == "simple"'),
        *text("m2", "It is 391."),
        RunFinished(usage=USAGE, message_id="m2"),
    )
    assert answer == "It is 391.\n"
    assert about.splitlines() == [
        "▸ intent",
        "  理解",
        '▸ organization skipped: x == "simple"',
        "0.000134 USD · 1,200 tokens in, 34 out · 1 call of qwen3.5-flash · 4.5 s",
    ]
    assert not printer.failed


def test_the_last_line_has_the_sessions_total_and_says_what_is_estimated() -> None:
    begin = RunStarted(
        workflow="chat",
        revision="r",
        session_id="s",
        trace_id="t",
        session_tokens=10,
        session_cost=Decimal("1.5"),
        currency="USD",
    )
    _, about, _ = printed(begin, call(source="estimated"), call("failed"), RunFinished(usage=USAGE))
    assert about == (
        "0.000134 USD (partly estimated) · 1,200 tokens in, 34 out "
        "· 2 calls of qwen3.5-flash · 1.5 s · session 1.500134 USD\n"
    )


def test_what_has_no_price_does_not_look_free() -> None:
    [priced] = USAGE
    free = msgspec.structs.replace(priced, model="local", cost=Decimal(0), unpriced=True)
    assert printed(call(), RunFinished(usage=(free,)))[1].startswith("unpriced · 1,200 tokens in")
    begin = msgspec.structs.replace(RUN, currency="USD")
    both = printed(begin, call(), RunFinished(usage=(priced, free)))[1]
    assert both.startswith("0.000134 USD and what is unpriced · 2,400 tokens in")
    assert both.endswith("session 0.000134 USD and what is unpriced\n")


def test_a_refused_call_is_no_call() -> None:
    failed = RunFailed(code="budget_spent", message="The budget is spent.")
    _, about, _ = printed(RUN, call("refused", "none"), failed)
    assert "no model was called · " in about


def test_two_visible_messages_do_not_run_together() -> None:
    answer, _, _ = printed(RUN, *text("m1", "first"), *text("m2", "second"), RunFinished())
    assert answer == "first\nsecond\n"


def test_a_tool_call_is_one_line_with_its_arguments() -> None:
    _, about, _ = printed(
        RUN,
        ToolCallStarted(
            tool_call_id="k", tool="calculator", message_id="m", agent_run_id="a", visible=False
        ),
        ToolCallArgs(tool_call_id="k", text='{"expression": '),
        ToolCallArgs(tool_call_id="k", text='"17*23"}'),
        ToolResult(
            tool_call_id="k",
            message_id="t",
            tool="calculator",
            agent_run_id="a",
            stage="execution",
            agent="worker",
            content="3" * 200,
            status="ok",
            args_digest="d",
            latency_ms=1,
            visible=False,
        ),
    )
    assert about == f'  calculator {{"expression": "17*23"}} → {"3" * 100}…\n'


def test_sources_are_named_as_they_are_found() -> None:
    _, about, _ = printed(
        SourceFound(tool_call_id="k", number=1, url="https://a.example/", title="A [b]\x1b[2J")
    )
    assert about == "    [1] A [b]\ufffd[2J https://a.example/\n"


def test_a_failure_and_a_stop_say_so_and_what_they_cost() -> None:
    _, failed, printer = printed(
        RUN,
        StageRetried(stage="intent", attempt=2, code="rate_limited"),
        *text("m1", "half"),
        RunFailed(code="provider_error", message="The [provider] is away.", usage=USAGE),
    )
    assert printer.failed
    assert "▸ intent again, attempt 2: rate_limited" in failed
    assert "The [provider] is away. (provider_error)" in failed
    assert "0.000134 USD" in failed
    _, stopped, printer = printed(RUN, RunCancelled(reason="user"))
    assert printer.cancelled
    assert stopped.startswith("stopped (user)\nno model was called · ")


def test_a_quiet_printer_only_knows_the_end() -> None:
    answer, about, printer = printed(
        RUN, *text("m", "x"), RunFailed(code="c", message="m"), quiet=True
    )
    assert (answer, about, printer.failed) == ("", "", True)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_model_does_not_command_the_terminal_but_a_file_gets_its_words() -> None:
    said = text("m1", "red \x1b[31m\n\x9b2J")
    shown = {"red \ufffd[31m\n\ufffd2J": Terminal(), "red \x1b[31m\n\x9b2J": io.StringIO()}
    for expected, answer in shown.items():
        printer = TurnPrinter(answer=answer, about=Console(file=io.StringIO()))
        for seq, event in enumerate(said, start=1):
            printer.show(Entry(seq=seq, at=START, event=event))
        assert answer.getvalue() == expected


def test_a_todo_list_is_printed_each_time_it_changes() -> None:
    items = [
        {"id": "1", "label": "[red]look\x1b[2J", "status": "completed"},
        {"id": "2", "label": "write", "status": "running"},
        {"id": "3", "label": "check", "status": "pending"},
    ]
    content = {"listId": "l", "title": "Report", "revision": 2, "status": "active", "items": items}
    shown = ActivityShown(
        tool_call_id="c", activity="callsheet.todo", message_id="l", content=content
    )
    other = ActivityShown(tool_call_id="c", activity="mine", message_id="m", content={})
    _, about, _ = printed(RUN, shown, other)
    assert about == ("  Report\n    [x] [red]look\ufffd[2J\n    [>] write\n    [ ] check\n")


def test_a_file_that_a_tool_made_is_named() -> None:
    content = {"id": "a", "name": "out/[b]p.png", "mediaType": "image/png", "sizeBytes": 18234}
    shown = ActivityShown(
        tool_call_id="c", activity="callsheet.artifact", message_id="a", content=content
    )
    assert printed(RUN, shown)[1] == "  file out/[b]p.png · image/png · 18,234 bytes\n"
