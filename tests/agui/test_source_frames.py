"""Where answers come from, on the wire: as found, and whole where another run found them."""

from __future__ import annotations

from typing import Any

from callsheet.agui.encoder import Encoder
from callsheet.agui.show import SHOW_EVERYTHING
from callsheet.agui.source_frames import grounds_fields
from callsheet.events.call import AnswerFinished
from callsheet.events.run import RunFinished
from callsheet.events.source import SourceFound
from callsheet.events.tool import ToolCallEnded, ToolCallStarted, ToolStarted
from callsheet.events.union import AnyRunEvent
from callsheet.turn.grounds import grounds
from tests.agui.encoded import IDS
from tests.agui.frames import check_event, read_frames
from tests.agui.journal import RUN, numbered, started

CALL: list[AnyRunEvent] = [
    ToolCallStarted(tool_call_id="a", tool="x", message_id="m", agent_run_id="r", visible=True),
    ToolCallEnded(tool_call_id="a"),
    ToolStarted(tool_call_id="a"),
]
END = RunFinished(message_id="answer")


def found(number: int, **more: Any) -> SourceFound:
    url, title = f"https://{number}.example/", f"Page {number}"
    return SourceFound(tool_call_id="a", number=number, url=url, title=title, **more)


def answer(*sources: SourceFound, message_id: str = "answer") -> AnswerFinished:
    kept = grounds(sources)
    return AnswerFinished(message_id=message_id, status="final", text="So.", metadata=kept)


def written(*events: AnyRunEvent) -> list[dict[str, Any]]:
    encoder = Encoder(RUN, IDS, "1.0", SHOW_EVERYTHING)
    frames = read_frames(encoder.encode(numbered([started(), *CALL, *events])))
    for _, event in frames:
        check_event(event)
    return [event for _, event in frames]


def told(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [event for event in events if event.get("activityType") == "callsheet.sources"]


def test_an_answer_on_what_its_own_run_found_tells_nothing_twice() -> None:
    one, two = found(1, snippet="s", published="2026"), found(2)
    events = told(written(one, two, answer(one, two), END))
    assert [event["type"] for event in events] == [
        "ACTIVITY_SNAPSHOT",
        "ACTIVITY_DELTA",
        "ACTIVITY_DELTA",
    ]
    assert events[1]["patch"][0]["value"] == {
        "number": 1,
        "url": "https://1.example/",
        "title": "Page 1",
        "toolCallId": "a",
        "snippet": "s",
        "published": "2026",
    }
    assert len({event["messageId"] for event in events}) == 1


def test_an_answer_on_what_an_earlier_run_found_shows_all_of_it() -> None:
    events = told(written(found(3), answer(found(1), found(2), found(3)), END))
    assert events[0]["content"] == {"sources": []}
    assert events[1]["patch"][0]["value"]["number"] == 3
    assert [each["number"] for each in events[2]["content"]["sources"]] == [1, 2, 3]
    assert len({event["messageId"] for event in events}) == 1

    [only] = told(written(answer(found(1)), END))
    assert [each["number"] for each in only["content"]["sources"]] == [1]


def test_the_end_of_a_run_says_that_its_answer_is_the_models_alone() -> None:
    def own(*events: AnyRunEvent) -> dict[str, Any]:
        last = written(*events)[-1]
        assert last["type"] == "RUN_FINISHED"
        return dict(last["metadata"]["callsheet"])

    assert own(answer(), END)["modelOnly"] is True
    assert "modelOnly" not in own(answer(found(1)), END)
    assert "modelOnly" not in own(answer(message_id="another"), END)
    assert "modelOnly" not in own(RunFinished())


def test_what_a_message_keeps_is_told_in_the_words_of_the_wire() -> None:
    assert grounds_fields(grounds([])) == {"modelOnly": True}
    assert grounds_fields({}) == {}
    kept = grounds([found(1, snippet="s")])
    assert grounds_fields(kept) == {
        "sources": [
            {
                "number": 1,
                "url": "https://1.example/",
                "title": "Page 1",
                "toolCallId": "a",
                "snippet": "s",
            }
        ]
    }
