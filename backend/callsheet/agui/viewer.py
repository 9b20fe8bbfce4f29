"""How a client comes to look at a run, and what it has in hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from callsheet.agui.place import Place
from callsheet.agui.run_input import Protocol


@dataclass(frozen=True, slots=True)
class Viewer:
    """`client_state` is the state that the client holds, which stays its own.

    Frames up to and with `after` were seen before and are not written again. `history` are events
    that follow the beginning, without ids, for a client that has nothing. `protocol` is its
    generation, where it says so; None: that of the client that asked for the run.
    """

    client_state: Any = None
    after: Place | None = None
    history: Sequence[dict[str, Any]] = ()
    protocol: Protocol | None = None
