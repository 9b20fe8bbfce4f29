"""A journal as one client gets it."""

from __future__ import annotations

from typing import Any

from callsheet.agui.encoder import Encoder
from callsheet.agui.run_frames import WireIds
from callsheet.agui.run_input import Protocol
from callsheet.events.entry import Entry
from tests.agui.frames import essence, read_frames
from tests.agui.journal import (
    RUN,
)

IDS = WireIds("my thread", "my run")


def encoded(entries: tuple[Entry, ...], protocol: Protocol = "1.0") -> bytes:
    return Encoder(RUN, IDS, protocol).encode(entries)


def events(entries: tuple[Entry, ...], protocol: Protocol = "1.0") -> list[dict[str, Any]]:
    return [essence(event) for _, event in read_frames(encoded(entries, protocol))]
