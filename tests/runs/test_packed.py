"""Deltas in one row come out of it as they went in."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from callsheet.events.entry import Entry
from callsheet.events.reasoning import ReasoningDelta
from callsheet.events.stage import StageStarted
from callsheet.events.text import TextDelta
from callsheet.events.tool import ToolCallArgs
from callsheet.events.union import AnyRunEvent, dump_event, parse_event
from callsheet.runs.packed import pack, unpack

AT = datetime(2026, 5, 6, 7, 8, 9, 10, tzinfo=UTC)

_said = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)
_named = st.sampled_from(["a", "b"])
_events: st.SearchStrategy[AnyRunEvent] = st.one_of(
    st.builds(lambda name, text: TextDelta(message_id=name, text=text), _named, _said),
    st.builds(lambda name, text: ReasoningDelta(message_id=name, text=text), _named, _said),
    st.builds(lambda name, text: ToolCallArgs(tool_call_id=name, text=text), _named, _said),
    st.just(StageStarted(stage="s")),
)
_gaps = st.integers(0, 10**9)


def numbered(events: list[tuple[AnyRunEvent, int]]) -> list[Entry]:
    entries, at = [], AT
    for seq, (event, microseconds) in enumerate(events, start=1):
        at += timedelta(microseconds=microseconds)
        entries.append(Entry(seq, at, event))
    return entries


def stored(entries: list[Entry]) -> list[tuple[int, datetime, str]]:
    """The rows of these entries once they are packed."""
    rows = {entry.seq: (entry.at, dump_event(entry.event).decode()) for entry in entries}
    for packed in pack(entries):
        rows[packed.last] = (rows[packed.last][0], packed.event)
        for seq in range(packed.first, packed.last):
            del rows[seq]
    return [(seq, at, event) for seq, (at, event) in sorted(rows.items())]


@given(st.lists(st.tuples(_events, _gaps), max_size=60))
def test_every_entry_comes_back_as_it_was(events: list[tuple[AnyRunEvent, int]]) -> None:
    entries = numbered(events)
    assert [entry for row in stored(entries) for entry in unpack(*row)] == entries


def test_a_packed_row_reads_as_the_whole_text_to_who_knows_nothing_of_it() -> None:
    pieces = ["One ", "and ", "two."]
    entries = numbered([(TextDelta(message_id="m", text=piece), 5) for piece in pieces])
    ((seq, at, event),) = stored(entries)
    assert (seq, at) == (3, entries[-1].at)
    assert parse_event(event) == TextDelta(message_id="m", text="One and two.")


def test_a_row_holds_so_much_and_no_more() -> None:
    entries = numbered([(TextDelta(message_id="m", text="x"), 5)] * 1_001)
    rows = stored(entries)
    assert len(rows) == 6
    assert [entry for row in rows for entry in unpack(*row)] == entries
