"""Money on the wire while a run goes on: an ACTIVITY for the run, STATE for the session.

Both are folded from the journal, so that a replay shows what the live stream showed.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Final, Literal
from uuid import UUID

from callsheet.agui.activity import activity_snapshot
from callsheet.agui.frame import FrameWriter, Writers
from callsheet.agui.show import ShowOptions
from callsheet.agui.spending import Spending
from callsheet.events.agent import AgentStarted
from callsheet.events.call import LlmCallFinished, LlmCallStarted
from callsheet.events.run import RunStarted
from callsheet.events.stage import StageFinished
from callsheet.events.union import TERMINAL
from callsheet.kit.ids import part_id
from callsheet.kit.money import plain

ACTIVITY: Final = "callsheet.cost"
STATE_KEY: Final = "callsheet"

StateOpening = Literal["snapshot", "add", "none"]


def opening_for(client_state: Any) -> StateOpening:
    """How our part gets into the state that a client holds, which is the client's own.

    A snapshot replaces the whole, so it goes only to who holds nothing; to others the part is
    added. A state that is no object has no place for it.
    """
    if client_state is None:
        return "snapshot"
    if not isinstance(client_state, dict):
        return "none"
    return "snapshot" if client_state.keys() <= {STATE_KEY} else "add"


class CostFrames:
    """What the run and its session have spent so far."""

    def __init__(
        self, out: FrameWriter, run_id: UUID, show: ShowOptions, opening: StateOpening
    ) -> None:
        self._out = out
        self._run_id = str(run_id)
        self._activity_id = str(part_id(run_id, "cost"))
        self._show = show
        self._opening = opening
        self._spending = Spending()
        self._is_told = True
        self._before: RunStarted | None = None
        self._shown: tuple[int, Decimal] = (0, Decimal(0))

    def writers(self) -> Writers:
        """Which event is written by what, after what else it gives."""
        return {
            RunStarted: self._started,
            AgentStarted: self._spending.name,
            LlmCallStarted: self._spending.begin,
            LlmCallFinished: self._call_ended,
            StageFinished: self._tell,
        }

    def last_writers(self) -> Writers:
        """What is written before the end of the run."""
        return dict.fromkeys(TERMINAL, self._tell)

    def _started(self, event: RunStarted) -> None:
        """Journals of older versions do not know the session's totals: no state then."""
        if self._opening == "none" or event.currency is None:
            return
        self._before = event
        mine = self._state(event)
        if self._opening == "snapshot":
            self._out.put({"type": "STATE_SNAPSHOT", "snapshot": {STATE_KEY: mine}})
        else:
            self._patch("add", mine)

    def _call_ended(self, event: LlmCallFinished) -> None:
        if not self._spending.end(event):
            return
        self._is_told = False
        spent = (self._spending.total.tokens, self._spending.total.cost)
        if self._before is not None and spent != self._shown:
            self._shown = spent
            self._patch("replace", self._state(self._before))

    def _tell(self, event: object) -> None:
        """Say it all anew, where anything was spent since it was said."""
        del event
        if self._is_told:
            return
        self._is_told = True
        self._out.put(
            activity_snapshot(self._activity_id, ACTIVITY, self._spending.fields(self._show))
        )

    def _patch(self, op: Literal["add", "replace"], mine: dict[str, Any]) -> None:
        delta = [{"op": op, "path": f"/{STATE_KEY}", "value": mine}]
        self._out.put({"type": "STATE_DELTA", "delta": delta})

    def _state(self, before: RunStarted) -> dict[str, Any]:
        run = self._spending.total
        session: dict[str, Any] = {"totalTokens": before.session_tokens + run.tokens}
        own: dict[str, Any] = {"runId": self._run_id, "totalTokens": run.tokens}
        if self._show.costs:
            session["totalCost"] = plain(before.session_cost + run.cost)
            session["currency"] = before.currency
            own["totalCost"] = plain(run.cost)
        return {"session": session, "run": own}
