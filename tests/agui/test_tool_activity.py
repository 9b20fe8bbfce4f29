"""What tools show while they work, as activities that grow."""

from __future__ import annotations

from typing import Any

from callsheet.agui.encoder import Encoder
from callsheet.agui.show import SHOW_EVERYTHING
from callsheet.events.activity import ActivityShown
from callsheet.events.output import ToolOutput
from callsheet.events.run import RunFinished
from callsheet.events.source import SourceFound
from callsheet.events.tool import ToolCallEnded, ToolCallStarted, ToolStarted
from callsheet.events.union import TELLS, AnyRunEvent
from tests.agui.encoded import IDS
from tests.agui.frames import check_event, read_frames
from tests.agui.journal import RUN, numbered, started


def begun(call: str) -> list[AnyRunEvent]:
    """A call that runs."""
    return [
        ToolCallStarted(
            tool_call_id=call, tool="x", message_id="m", agent_run_id="a", visible=True
        ),
        ToolCallEnded(tool_call_id=call),
        ToolStarted(tool_call_id=call),
    ]


def shown(*events: AnyRunEvent) -> list[dict[str, Any]]:
    encoder = Encoder(RUN, IDS, "1.0", SHOW_EVERYTHING)
    calls = [*begun("a"), *begun("b")]
    journal = numbered([started(), *calls, *events, RunFinished()])
    frames = read_frames(encoder.encode(journal))
    for _, event in frames:
        check_event(event)
    return [event for _, event in frames if event["type"].startswith("ACTIVITY")]


def patches(told: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [patch for event in told for patch in event.get("patch", ())]


def wrote(call: str, text: str) -> ToolOutput:
    return ToolOutput(tool_call_id=call, stream="stdout", text=text)


def test_output_grows_in_one_activity_for_each_call() -> None:
    told = shown(wrote("a", "1"), wrote("b", "2"), wrote("a", "3"))
    kinds = [event["type"].removeprefix("ACTIVITY_") for event in told]
    assert kinds == ["SNAPSHOT", "DELTA", "SNAPSHOT", "DELTA", "DELTA"]
    assert told[0]["content"] == {"toolCallId": "a", "chunks": []}
    ids = [event["messageId"] for event in told]
    assert ids[0] == ids[1] == ids[4] != ids[2] == ids[3]
    assert patches(told)[2] == {
        "op": "add",
        "path": "/chunks/-",
        "value": {"stream": "stdout", "text": "3"},
    }


def test_sources_grow_in_one_activity_of_the_run() -> None:
    told = shown(
        SourceFound(tool_call_id="a", number=1, url="https://a.example/", title="A"),
        SourceFound(tool_call_id="b", number=2, url="https://b.example/", title="B", snippet="b"),
    )
    assert [event["activityType"] for event in told] == ["callsheet.sources"] * 3
    assert [patch["value"]["number"] for patch in patches(told)] == [1, 2]
    assert patches(told)[1]["value"]["snippet"] == "b"


def test_a_whole_activity_replaces_the_one_of_its_id() -> None:
    first = ActivityShown(tool_call_id="a", activity="x.list", message_id="l", content={"n": 1})
    [told] = shown(first)
    assert told["replace"] is True
    assert (told["messageId"], told["activityType"], told["content"]) == ("l", "x.list", {"n": 1})


def test_all_that_a_tool_may_tell_is_written() -> None:
    assert set(TELLS) == {ActivityShown, ToolOutput, SourceFound}
