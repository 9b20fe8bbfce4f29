"""What a tool call lets people see, and until when."""

from __future__ import annotations

from decimal import Decimal
from uuid import UUID

from callsheet.crew.call_tell import CallTell
from callsheet.events.activity import ActivityShown
from callsheet.events.output import ToolOutput
from callsheet.events.source import SourceFound
from callsheet.events.union import AnyRunEvent
from callsheet.tools.source import Source
from callsheet.turn.record import Record, fold

LIST = UUID(int=7)


def telling(record: Record | None = None) -> tuple[CallTell, list[AnyRunEvent]]:
    said: list[AnyRunEvent] = []
    return CallTell("call", lambda event: said.append(event), record or Record()), said


def test_everything_becomes_an_event_of_the_call() -> None:
    tell, said = telling()
    tell.show("my.kind", LIST, {"cost": Decimal("1.50"), "ratio": float("nan")})
    tell.output("stdout", "hi\x00")
    tell.output("stderr", "")
    assert said == [
        ActivityShown(
            tool_call_id="call",
            activity="my.kind",
            message_id=str(LIST),
            content={"cost": "1.50", "ratio": None},
        ),
        ToolOutput(tool_call_id="call", stream="stdout", text="hi\ufffd"),
    ]


def test_a_source_has_one_number_in_a_turn_whichever_call_finds_it() -> None:
    record = Record()
    first, said = telling(record)
    assert first.source(Source("https://a.example/", "A")) == 1
    assert first.source(Source("https://b.example/", "B")) == 2
    second, more = telling(record)
    assert second.source(Source("https://a.example/", "A again")) == 1
    assert second.source(Source("https://c.example/", "C")) == 3
    assert [event.number for event in (*said, *more) if isinstance(event, SourceFound)] == [1, 2, 3]

    resumed, _ = telling(fold([*said, *more]))
    assert resumed.source(Source("https://d.example/", "D")) == 4
    assert resumed.source(Source("https://b.example/", "B")) == 2


def test_what_a_source_says_of_itself_is_kept_within_bounds() -> None:
    tell, said = telling()
    tell.source(Source("https://a.example/", "A" * 5_000, "b" * 5_000, "c" * 5_000))
    (found,) = said
    assert isinstance(found, SourceFound)
    assert [len(found.title), len(found.snippet), len(found.published or "")] == [300, 1_000, 100]


def test_nothing_is_heard_once_the_call_has_ended() -> None:
    tell, said = telling()
    tell.close()
    tell.show("my.kind", LIST, {})
    tell.output("stdout", "late")
    tell.source(Source("https://late.example/", "Late"))
    assert said == []
