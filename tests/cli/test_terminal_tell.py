"""What a tool shows while it works, in a terminal."""

from __future__ import annotations

import io
from uuid import uuid4

from rich.console import Console

from callsheet.cli.terminal_tell import TerminalTell
from callsheet.tools.source import Source
from callsheet.tools.tell import Tell


def test_everything_is_shown_and_nothing_commands_the_terminal() -> None:
    seen = io.StringIO()
    tell: Tell = TerminalTell(Console(file=seen, width=200, highlight=False))
    tell.show("callsheet.todo", uuid4(), {"items": ["[red]one[/red]"]})
    tell.show("long", uuid4(), {"text": "x" * 1000})
    tell.output("stdout", "half a ")
    tell.output("stderr", "line\x1b]0;title\x07\n")
    first = Source("https://a.example/", "A [b]")
    assert tell.source(first) == 1
    assert tell.source(Source("https://b.example/", "B")) == 2
    assert tell.source(first) == 1
    lines = seen.getvalue().splitlines()
    assert lines[0] == 'callsheet.todo {"items":["[red]one[/red]"]}'
    assert len(lines[1]) == len("long ") + 200 + len("...")
    assert lines[2] == "half a line\ufffd]0;title\ufffd"
    assert lines[3:] == ["[1] A [b] https://a.example/", "[2] B https://b.example/"]
