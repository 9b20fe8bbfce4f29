"""Entries of a run as frames, with what has to be read for its end."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from callsheet.agui.encoder import Encoder
from callsheet.agui.history import Said, messages_snapshot
from callsheet.events.entry import Entry
from callsheet.events.union import TERMINAL

WhatWasSaid = Callable[[], Awaitable[Sequence[Said]]]
"""Reads what the session's clients hold; asked only where something was taken back."""


async def encoded(encoder: Encoder, batch: tuple[Entry, ...], said: WhatWasSaid) -> bytes:
    """The frames of the next entries; at the end of a run its clients are set right."""
    if not isinstance(batch[-1].event, TERMINAL):
        return encoder.encode(batch)
    before = encoder.encode(batch[:-1])
    if encoder.has_taken_back:
        encoder.correct(messages_snapshot(await said()))
    return before + encoder.encode(batch[-1:])
