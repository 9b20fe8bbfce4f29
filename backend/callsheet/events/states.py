"""The states of stages and tool calls within one run, as its journal tells them."""

from __future__ import annotations

from typing import Final, Literal

from callsheet.kit.states import StateTable

StageState = Literal["pending", "running", "skipped", "done", "failed", "cancelled", "waiting"]
ToolState = Literal["asking", "asked", "running", "ok", "error", "cancelled", "unknown", "rejected"]

STAGE: Final[StateTable[StageState]] = StateTable(
    {
        "pending": ("running", "skipped"),
        # Running again: a further attempt.
        "running": ("running", "done", "failed", "cancelled", "waiting"),
        # What follows these is a run that another worker has taken over and goes on with.
        "skipped": ("skipped",),
        "done": (),
        "failed": ("running",),
        "cancelled": ("running",),
        "waiting": ("running",),
    }
)

TOOL_CALL: Final[StateTable[ToolState]] = StateTable(
    {
        "asking": ("asked",),
        # Without running: it was refused, or another did it.
        "asked": ("running", "ok", "error", "cancelled", "unknown", "rejected"),
        # Running again: its worker died, and the tool may be called twice.
        "running": ("running", "ok", "error", "cancelled", "unknown"),
        "ok": (),
        "error": (),
        "cancelled": (),
        "unknown": (),
        "rejected": (),
    }
)
