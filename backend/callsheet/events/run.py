"""Begin and end of a run. Exactly one of the four ends is the last event."""

from __future__ import annotations

from decimal import Decimal

from callsheet.events.base import RunEvent
from callsheet.events.interrupt import Interrupt
from callsheet.events.usage import ModelUsage


class RunStarted(RunEvent, frozen=True, kw_only=True, tag="run_started"):
    """The first event: which workflow runs, in which revision, for which session.

    `session_tokens` and `session_cost` (in `currency`) are the session's totals before this run.
    """

    workflow: str
    revision: str
    session_id: str
    trace_id: str
    parent_run_id: str | None = None
    session_tokens: int = 0
    session_cost: Decimal = Decimal(0)
    currency: str | None = None


class RunTakenOver(RunEvent, frozen=True, kw_only=True, tag="run_taken_over"):
    """The run goes on in another process, since the one that had it is gone. Not on the wire."""

    worker_id: str
    epoch: int


class RunFinished(RunEvent, frozen=True, kw_only=True, tag="run_finished"):
    """The turn has its answer. `message_id` names the visible answer, None where it is empty.

    `steered_run_id`: another run of the session took the message in, and answers it.
    """

    usage: tuple[ModelUsage, ...] = ()
    message_id: str | None = None
    steered_run_id: str | None = None


class RunFailed(RunEvent, frozen=True, kw_only=True, tag="run_failed"):
    """The turn ended without an answer. `message` may be shown; `code` is stable."""

    code: str
    message: str
    usage: tuple[ModelUsage, ...] = ()


class RunCancelled(RunEvent, frozen=True, kw_only=True, tag="run_cancelled"):
    """Somebody stopped the run; `reason` is a stable word such as `user` or `shutdown`."""

    reason: str
    usage: tuple[ModelUsage, ...] = ()


class RunPaused(RunEvent, frozen=True, kw_only=True, tag="run_paused"):
    """The turn waits for a person, or for tools of the client; another run goes on with it.

    `interrupts` are all that is open, never none.
    """

    interrupts: tuple[Interrupt, ...]
    usage: tuple[ModelUsage, ...] = ()
