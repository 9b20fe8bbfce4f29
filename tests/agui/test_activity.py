"""What stages decided and what models were not told, as activities."""

from __future__ import annotations

from callsheet.agui.encoder import Encoder
from callsheet.agui.show import SHOW_EVERYTHING
from callsheet.events.agent import HistoryCut
from callsheet.events.run import RunFinished
from callsheet.events.stage import StageFinished, StageSkipped, StageStarted
from callsheet.events.steered import Steered
from callsheet.events.union import AnyRunEvent
from tests.agui.encoded import IDS
from tests.agui.frames import check_event, read_frames
from tests.agui.journal import RUN, numbered, started


def shown(*events: AnyRunEvent) -> list[dict[str, object]]:
    """The activities that these events of one run give, costs apart."""
    encoder = Encoder(RUN, IDS, "1.0", SHOW_EVERYTHING)
    frames = read_frames(encoder.encode(numbered([started(), *events, RunFinished()])))
    for _, event in frames:
        check_event(event)
    return [
        event
        for _, event in frames
        if event["type"] == "ACTIVITY_SNAPSHOT" and event["activityType"] != "callsheet.cost"
    ]


def finished(output: str, *, structured: bool) -> tuple[StageStarted, StageFinished]:
    end = StageFinished(stage="intent", status="done", output=output, structured=structured)
    return StageStarted(stage="intent"), end


def test_what_a_stage_decided_is_told_as_the_object_it_is() -> None:
    [told] = shown(*finished('{"route": "chat", "needs": []}', structured=True))
    assert told["activityType"] == "callsheet.stage"
    assert told["replace"] is True
    assert told["content"] == {"stage": "intent", "output": {"route": "chat", "needs": []}}


def test_text_is_no_decision_even_where_it_looks_like_one() -> None:
    assert shown(*finished('{"route": "chat"}', structured=False)) == []
    assert shown(*finished("[1]", structured=True)) == []


def test_a_skipped_stage_is_told_without_its_rule() -> None:
    [told] = shown(StageSkipped(stage="organization", rule="secret.rule == 1"))
    assert told["content"] == {"stage": "organization", "skipped": True}


def test_what_a_model_was_not_told_is_told_to_the_user() -> None:
    cut = HistoryCut(agent_run_id="a", stage="execution", turns_left_out=3)
    [told] = shown(StageStarted(stage="execution"), cut, StageFinished(stage="execution",
                   status="done"))  # fmt: skip
    assert told["activityType"] == "callsheet.history"
    assert told["content"] == {"stage": "execution", "turnsLeftOut": 3}


def test_each_stage_has_an_activity_of_its_own_that_is_the_same_each_time() -> None:
    events = (
        *finished('{"a": 1}', structured=True),
        StageSkipped(stage="organization", rule="x"),
    )
    first, second = shown(*events)
    assert first["messageId"] != second["messageId"]
    assert shown(*events)[0]["messageId"] == first["messageId"]


def test_what_was_said_on_the_way_is_told_with_the_message_that_it_is() -> None:
    said = [
        Steered(run_id=run, message_id=f"m-{run}", text=run, path="s#1/t", iteration=0)
        for run in ("r1", "r2")
    ]
    one, two = shown(StageStarted(stage="s"), *said, StageFinished(stage="s", status="done"))
    assert one["activityType"] == "callsheet.steered"
    assert one["content"] == {"messageId": "m-r1", "text": "r1"}
    assert one["messageId"] != two["messageId"]
