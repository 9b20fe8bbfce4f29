"""A run in which something streamed was taken back sets its clients right before it ends."""

from __future__ import annotations

from callsheet.agui.encoder import Encoder
from callsheet.agui.history import messages_snapshot
from callsheet.agui.place import Place
from callsheet.agui.show import SHOW_EVERYTHING
from callsheet.agui.viewer import Viewer
from tests.agui.encoded import IDS
from tests.agui.frames import read_frames
from tests.agui.journal import RUN, whole_run
from tests.agui.taken_back import said_in, taken_back_run

SNAPSHOT = messages_snapshot(said_in(RUN))


def shown(after: Place | None = None) -> list[tuple[str, str]]:
    """Ids and types of the frames, as a client that goes on behind `after` gets them."""
    encoder = Encoder(RUN, IDS, "1.0", SHOW_EVERYTHING, Viewer(after=after))
    *before, last = taken_back_run()
    frames = encoder.encode(before)
    assert encoder.has_taken_back
    encoder.correct(SNAPSHOT)
    frames += encoder.encode([last])
    return [(frame_id or "", event["type"]) for frame_id, event in read_frames(frames)]


def test_the_snapshot_comes_before_the_end_and_has_an_id_like_any_frame() -> None:
    last_seq = taken_back_run()[-1].seq
    assert shown()[-2:] == [
        (f"{RUN}:{last_seq}.1", "MESSAGES_SNAPSHOT"),
        (f"{RUN}:{last_seq}.2", "RUN_FINISHED"),
    ]
    assert [kind for _, kind in shown(Place(last_seq, 1))] == ["RUN_FINISHED"]


def test_it_is_sent_also_to_who_comes_back_after_the_text_was_taken_back() -> None:
    last_seq = taken_back_run()[-1].seq
    assert [kind for _, kind in shown(Place(last_seq - 1, 9))] == [
        "MESSAGES_SNAPSHOT",
        "RUN_FINISHED",
    ]


def test_a_run_that_takes_nothing_back_wants_no_snapshot() -> None:
    encoder = Encoder(RUN, IDS, "1.0", SHOW_EVERYTHING)
    encoder.encode(whole_run())
    assert not encoder.has_taken_back


def test_calls_and_results_are_spelled_as_they_were_streamed() -> None:
    ask, result, answer = SNAPSHOT["messages"]
    assert "content" not in ask
    assert ask["toolCalls"][0]["function"] == {
        "name": "calculator",
        "arguments": '{"expression":"17*23"}',
    }
    assert result["toolCallId"] == ask["toolCalls"][0]["id"]
    assert answer["content"] == "17 x 23 is 391."
