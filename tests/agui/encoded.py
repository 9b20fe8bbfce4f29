"""A journal as one client gets it."""

from __future__ import annotations

from typing import Any

from callsheet.agui.encoder import Encoder
from callsheet.agui.run_frames import WireIds
from callsheet.agui.run_input import Protocol
from callsheet.agui.show import SHOW_EVERYTHING, ShowOptions
from callsheet.agui.viewer import Viewer
from callsheet.events.entry import Entry
from tests.agui.frames import essence, read_frames
from tests.agui.journal import (
    RUN,
)

IDS = WireIds("my thread", "my run")


def encoded(
    entries: tuple[Entry, ...],
    protocol: Protocol = "1.0",
    show: ShowOptions = SHOW_EVERYTHING,
    client_state: Any = None,
) -> bytes:
    return Encoder(RUN, IDS, protocol, show, Viewer(client_state)).encode(entries)


def events(
    entries: tuple[Entry, ...],
    protocol: Protocol = "1.0",
    show: ShowOptions = SHOW_EVERYTHING,
    client_state: Any = None,
) -> list[dict[str, Any]]:
    data = encoded(entries, protocol, show, client_state)
    return [essence(event) for _, event in read_frames(data)]


def state_after(shown: list[dict[str, Any]], state: Any) -> Any:
    """What a client that held `state` holds after these events."""
    for event in shown:
        if event["type"] == "STATE_SNAPSHOT":
            state = event["snapshot"]
        elif event["type"] == "STATE_DELTA":
            for change in event["delta"]:
                assert change["path"] == "/callsheet"
                assert change["op"] == "add" or "callsheet" in state
                state = {**state, "callsheet": change["value"]}
    return state
