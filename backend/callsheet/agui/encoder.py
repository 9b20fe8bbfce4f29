"""RunEvents of one run -> AG-UI events -> frames.

No I/O and no clock: the same journal gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final
from uuid import UUID

from callsheet.agui.activity_frames import ActivityFrames
from callsheet.agui.agent_frames import AgentFrames
from callsheet.agui.cost_frames import CostFrames, opening_for
from callsheet.agui.frame import FrameWriter, Writers
from callsheet.agui.message_frames import MessageFrames
from callsheet.agui.run_frames import RunFrames, WireIds
from callsheet.agui.run_input import Protocol
from callsheet.agui.show import ShowOptions
from callsheet.agui.source_frames import SourceFrames
from callsheet.agui.taken_back import TakenBack
from callsheet.agui.tool_activity_frames import ToolActivityFrames
from callsheet.agui.tool_frames import ToolFrames
from callsheet.agui.viewer import Viewer
from callsheet.events.entry import Entry
from callsheet.events.union import TERMINAL

_NEW: Final = Viewer()


class Encoder:
    """Encodes one run for one client. Feed it every entry from seq 1, in order.

    `run_id` is ours and stands in the frames' ids; `ids` are the client's. Inner stages' events
    carry their agent's id as `subagentRunId`; the visible stage's carry none. What is only for
    the record (finished tasks, tools that begin) is not written. `viewer` says what
    the client has in hand.
    """

    def __init__(
        self,
        run_id: UUID,
        ids: WireIds,
        protocol: Protocol,
        show: ShowOptions,
        viewer: Viewer = _NEW,
    ) -> None:
        self._out = FrameWriter(str(run_id), viewer.after)
        self._show = show
        self._ended = False
        tools = ToolFrames(self._out, show)
        costs = CostFrames(self._out, run_id, show, opening_for(viewer.client_state))
        self._run = RunFrames(self._out, str(run_id), ids, protocol, show, viewer.history)
        self._taken_back = TakenBack(self._out)
        self._writers = _one_after_the_other(
            costs.last_writers(),
            self._taken_back.last_writers(),
            self._run.writers(),
            AgentFrames(self._out, tools.calls, show).writers(),
            MessageFrames(self._out, show).writers(),
            tools.writers(),
            ActivityFrames(self._out, run_id).writers(),
            ToolActivityFrames(self._out, run_id).writers(),
            SourceFrames(self._out, run_id).writers(),
            costs.writers(),
            self._taken_back.writers(),
        )

    def open_early(self, session_id: UUID) -> bytes:
        """The begin and the history, for who comes before the run has begun; once, and first."""
        self._run.open_early(str(session_id))
        return self._out.take()

    @property
    def has_taken_back(self) -> bool:
        """Whether what was encoded so far holds an answer that is discarded.

        Whoever encodes the run's end is to call `correct` before, with what is said now.
        """
        return self._taken_back.anything

    def correct(self, snapshot: dict[str, Any]) -> None:
        """Send this MESSAGES_SNAPSHOT before the run's end."""
        self._taken_back.correct(snapshot)

    def encode(self, entries: Iterable[Entry]) -> bytes:
        """The frames of these entries in one piece; empty where nothing of them is shown."""
        for entry in entries:
            write = self._writers.get(type(entry.event))
            if write is not None:
                self._out.begin(entry)
                write(entry.event)
                self._ended = isinstance(entry.event, TERMINAL)
        return self._out.take()

    def break_off(self, code: str, message: str) -> bytes:
        """The end of this view where no more entries come before the run's own end: RUN_ERROR.

        Empty once the run has ended. The frame has no id, since it is not in the journal.
        """
        if self._ended:
            return b""
        self._ended = True
        said = self._show.told(code, message)
        return self._out.unnumbered({"type": "RUN_ERROR", "message": said, "code": code})


def _one_after_the_other(*parts: Writers) -> Writers:
    """All of them together; where several write an event, the first one's frames come first."""
    writers: Writers = {}
    for part in parts:
        for kind, write in part.items():
            known = writers.get(kind)
            writers[kind] = write if known is None else _both(known, write)
    return writers


def _both(first: Callable[[Any], None], second: Callable[[Any], None]) -> Callable[[Any], None]:
    def write(event: Any) -> None:
        first(event)
        second(event)

    return write
