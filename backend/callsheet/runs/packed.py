"""Many deltas in one row of the journal, and out of it again as they were. Pure.

A row of its own for every few characters is most of what a journal takes. Packed, the deltas of
one text stand as one event, which reads as what it is, with `cuts` beside it: how many characters
each had, and how many microseconds passed before the next one came.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby
from typing import Final

import msgspec

from callsheet.events.entry import Entry
from callsheet.events.reasoning import ReasoningDelta
from callsheet.events.text import TextDelta
from callsheet.events.tool import ToolCallArgs
from callsheet.events.union import AnyRunEvent, dump_event, parse_event

_MOST_PIECES: Final = 200
_PACKED: Final = '{"cuts"'
"""How a packed row begins: the database keeps short names first."""
_MICROSECOND: Final = timedelta(microseconds=1)
_ONE_KIND: Final = msgspec.json.Decoder(dict[str, msgspec.Raw])


class _Cuts(msgspec.Struct):
    cuts: list[int]


_cuts_of: Final = msgspec.json.Decoder(_Cuts)


@dataclass(frozen=True, slots=True)
class Packed:
    """The row `last` takes the event; those from `first` on up to it are no longer needed."""

    first: int
    last: int
    event: str


def pack(entries: Sequence[Entry]) -> Iterator[Packed]:
    """What becomes one row: two or more deltas of one text that follow each other."""
    for _, group in groupby(entries, key=_text_of):
        deltas = list(group)
        if len(deltas) > 1 and _text_of(deltas[0])[0] is not None:
            for start in range(0, len(deltas), _MOST_PIECES):
                some = deltas[start : start + _MOST_PIECES]
                if len(some) > 1:
                    yield Packed(some[0].seq, some[-1].seq, _packed(some))


def unpack(seq: int, at: datetime, event: str) -> Iterable[Entry]:
    """The entries that a row of the journal stands for, mostly one."""
    whole = parse_event(event)
    if not event.startswith(_PACKED):
        return (Entry(seq, at, whole),)
    return _unpacked(seq, at, whole, _cuts_of.decode(event).cuts)


def _packed(deltas: Sequence[Entry]) -> str:
    texts = [_said(entry.event) for entry in deltas]
    cuts = [len(texts[0])]
    for before, entry, text in zip(deltas, deltas[1:], texts[1:], strict=False):
        cuts += ((entry.at - before.at) // _MICROSECOND, len(text))
    joined = msgspec.structs.replace(deltas[0].event, text="".join(texts))
    fields = _ONE_KIND.decode(dump_event(joined))
    return msgspec.json.encode({"cuts": cuts, **fields}).decode()


def _unpacked(last: int, at: datetime, whole: AnyRunEvent, cuts: list[int]) -> list[Entry]:
    entries: list[Entry] = []
    text, end = _said(whole), len(_said(whole))
    for back, place in enumerate(range(len(cuts) - 1, -1, -2)):
        start = end - cuts[place]
        event = msgspec.structs.replace(whole, text=text[start:end])
        entries.append(Entry(last - back, at, event))
        end = start
        if place:
            at -= cuts[place - 1] * _MICROSECOND
    return entries[::-1]


def _text_of(entry: Entry) -> tuple[type[AnyRunEvent] | None, str | int]:
    """What the delta belongs to; of any other event nothing that another one has."""
    event = entry.event
    if isinstance(event, TextDelta | ReasoningDelta):
        return type(event), event.message_id
    if isinstance(event, ToolCallArgs):
        return type(event), event.tool_call_id
    return None, entry.seq


def _said(event: AnyRunEvent) -> str:
    if isinstance(event, TextDelta | ReasoningDelta | ToolCallArgs):
        return event.text
    raise TypeError(f"{type(event).__name__} is no delta")
