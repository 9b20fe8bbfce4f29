"""RunEvents of one run -> AG-UI events -> frames.

No I/O and no clock: the same journal gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterable
from uuid import UUID

from callsheet.agui.agent_frames import AgentFrames
from callsheet.agui.frame import FrameWriter
from callsheet.agui.message_frames import MessageFrames
from callsheet.agui.run_frames import RunFrames, WireIds
from callsheet.agui.run_input import Protocol
from callsheet.agui.tool_frames import ToolFrames
from callsheet.events.entry import Entry
from callsheet.events.union import TERMINAL


class Encoder:
    """Encodes one run for one client. Feed it every entry from seq 1, in order.

    `run_id` is ours and stands in the frames' ids; `ids` are the client's. Inner stages' events
    carry their agent's id as `subagentRunId`; the visible stage's carry none. What is only for
    the record (model calls, finished answers and tasks, tools that begin) is not written.
    """

    def __init__(self, run_id: UUID, ids: WireIds, protocol: Protocol) -> None:
        self._out = FrameWriter(str(run_id))
        self._ended = False
        tools = ToolFrames(self._out)
        self._writers = {
            **RunFrames(self._out, str(run_id), ids, protocol).writers(),
            **AgentFrames(self._out, tools.calls).writers(),
            **MessageFrames(self._out).writers(),
            **tools.writers(),
        }

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
        return self._out.unnumbered({"type": "RUN_ERROR", "message": message, "code": code})
