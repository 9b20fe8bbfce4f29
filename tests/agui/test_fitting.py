"""No frame is as large as clients refuse, whatever is in it."""

from __future__ import annotations

import json

import pytest

from callsheet.agui.encoder import Encoder
from callsheet.agui.fitting import MOST_BYTES, MOST_DELTA_CHARS
from callsheet.agui.place import Place
from callsheet.agui.show import SHOW_EVERYTHING
from callsheet.agui.viewer import Viewer
from callsheet.events.text import TextDelta, TextStarted
from callsheet.events.tool import ToolCallArgs, ToolCallEnded, ToolCallStarted, ToolResult
from callsheet.events.union import AnyRunEvent
from tests.agui.encoded import IDS
from tests.agui.frames import check_event, read_frames
from tests.agui.journal import RUN, numbered, started

MOST = 10_000_000


def frames(*events: AnyRunEvent, after: Place | None = None) -> list[tuple[str | None, bytes]]:
    """The frames of these events, each with its id."""
    encoder = Encoder(RUN, IDS, "1.0", SHOW_EVERYTHING, Viewer(after=after))
    data = encoder.encode(numbered([started(), *events]))
    for _, event in read_frames(data):
        check_event(event)
    blocks = [block for block in data.split(b"\n\n") if block]
    ids = [block.partition(b"\n")[0].decode().removeprefix("id: ") for block in blocks]
    return list(zip(ids, blocks, strict=True))


@pytest.mark.parametrize("character", ["x", "\n", "\x01", "界", "🙂"])
def test_a_delta_of_any_size_comes_in_pieces_that_fit(character: str) -> None:
    text = character * (2 * MOST_DELTA_CHARS + 5)
    message = "01900000-0000-7000-8000-000000000009"
    written = frames(
        TextStarted(message_id=message, agent_run_id="a", visible=True),
        TextDelta(message_id=message, text=text),
    )
    deltas = [json.loads(block.partition(b"data: ")[2]) for _, block in written[-3:]]
    assert "".join(event["delta"] for event in deltas) == text
    assert max(len(block) for _, block in written) < MOST
    assert [frame_id for frame_id, _ in written[-3:]] == [f"{RUN}:3.{n}" for n in (1, 2, 3)]
    rest = frames(
        TextStarted(message_id=message, agent_run_id="a", visible=True),
        TextDelta(message_id=message, text=text),
        after=Place(3, 1),
    )
    assert rest == written[-2:]


@pytest.mark.parametrize("character", ["x", "\n", "\x01", "界"])
def test_a_result_that_is_too_large_is_cut_and_says_so(character: str) -> None:
    *_, (_, block) = frames(
        ToolCallStarted(
            tool_call_id="c", tool="t", message_id=str(RUN), agent_run_id="a", visible=True
        ),
        ToolCallArgs(tool_call_id="c", text="{}"),
        ToolCallEnded(tool_call_id="c"),
        ToolResult(
            tool_call_id="c",
            message_id="m",
            tool="t",
            agent_run_id="a",
            stage="s",
            agent="a",
            content=character * 12_000_000,
            status="ok",
            args_digest="d",
            latency_ms=1,
            visible=True,
        ),
    )
    assert len(block) < MOST
    content = json.loads(block.partition(b"data: ")[2])["content"]
    assert content.startswith(character * 1000)
    assert content.endswith(" of 12000000 characters]")


def test_what_fits_is_not_touched() -> None:
    text = "x" * MOST_DELTA_CHARS
    message = "01900000-0000-7000-8000-000000000009"
    written = frames(
        TextStarted(message_id=message, agent_run_id="a", visible=True),
        TextDelta(message_id=message, text=text),
    )
    assert len(written[-1][1]) < MOST_BYTES
    assert [frame_id for frame_id, _ in written[-1:]] == [f"{RUN}:3.1"]
