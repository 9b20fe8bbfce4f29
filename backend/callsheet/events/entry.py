"""An event with its place in the journal."""

from __future__ import annotations

from datetime import datetime

import msgspec

from callsheet.events.union import AnyRunEvent


class Entry(msgspec.Struct, frozen=True, gc=False):
    """One journaled event: `seq` counts from 1 in its run without a gap; `at` is aware UTC."""

    seq: int
    at: datetime
    event: AnyRunEvent
