"""What a run has spent, as an activity: by stage and by agent, when a stage ends."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from callsheet.agui.encoder import Encoder
from callsheet.agui.show import SHOW_EVERYTHING, ShowOptions
from callsheet.events.entry import Entry
from callsheet.events.run import RunFinished
from callsheet.events.stage import StageFinished, StageStarted
from callsheet.events.union import dump_event, parse_event
from callsheet.kit.ids import part_id
from tests.agui.calls import named, unpriced
from tests.agui.encoded import IDS, encoded, events, state_after
from tests.agui.frames import read_frames
from tests.agui.journal import (
    BEFORE_COST,
    RUN,
    cancelled_run,
    failed_run,
    inner_stage,
    numbered,
    started,
    whole_run,
)
from tests.agui.one_stage import activities, attempt, run_with

OF_INTENT = {
    "inputTokens": 60,
    "cachedInputTokens": 20,
    "outputTokens": 15,
    "reasoningTokens": 4,
    "cost": "0.000062",
    "calls": 1,
    "estimated": False,
}


def test_each_stage_ends_with_what_was_spent_by_stage_and_agent() -> None:
    shown = events(whole_run())
    told = activities(shown)
    assert {each["messageId"] for each in told} == {str(part_id(RUN, "cost"))}
    assert {(each["activityType"], each["replace"]) for each in told} == {("callsheet.cost", True)}
    kinds = [event["type"] for event in shown]
    ends = [at for at, kind in enumerate(kinds) if kind == "STEP_FINISHED"]
    assert [kinds[at + 1] for at in ends] == ["ACTIVITY_SNAPSHOT"] * 3
    assert told[0]["content"] == {
        "currency": "USD",
        "total": OF_INTENT,
        "stages": [
            {
                "stage": "intent",
                **OF_INTENT,
                "agents": [
                    {
                        "agent": "router",
                        "agentRunId": named(RUN, "router"),
                        "label": "Router",
                        **OF_INTENT,
                    }
                ],
            }
        ],
    }
    last = told[-1]["content"]
    assert [stage["stage"] for stage in last["stages"]] == ["intent", "execution", "organization"]
    assert [agent["agent"] for stage in last["stages"] for agent in stage["agents"]] == [
        "router",
        "worker",
        "writer",
    ]
    assert "label" not in last["stages"][1]["agents"][0]  # it has none: its name has to do
    assert last["total"]["cost"] == shown[-1]["callsheet"]["cost"] == "0.000124"


@pytest.mark.parametrize("make", [failed_run, cancelled_run])
def test_a_run_that_breaks_off_shows_what_it_had_spent(make: Any) -> None:
    shown = events(make())
    cost = shown[-1]["callsheet"]["cost"]
    assert activities(shown)[-1]["content"]["total"]["cost"] == cost
    state = state_after(shown, {})["callsheet"]
    assert state["run"]["totalCost"] == cost
    assert Decimal(state["session"]["totalCost"]) == BEFORE_COST + Decimal(cost)


def test_a_refused_call_shows_nothing() -> None:
    begun, refused = attempt(1, "0", "refused", source="none", tokens=0)
    assert events(numbered([started(), begun, refused, RunFinished()])) == events(
        numbered([started(), RunFinished()])
    )
    assert events(numbered([started(), refused, RunFinished()])) == events(
        numbered([started(), RunFinished()])
    )


def test_a_call_that_cost_nothing_is_counted_and_moves_no_total() -> None:
    shown = run_with(*attempt(1, "0", "failed", source="none", tokens=0))
    assert [event["type"] for event in shown].count("STATE_DELTA") == 0
    assert activities(shown)[0]["content"]["total"]["calls"] == 1


def test_an_estimate_marks_all_that_it_is_part_of() -> None:
    shown = run_with(
        *attempt(1, "0.001", message="one", source="estimated"), *attempt(2, "0.002", message="two")
    )
    [told] = activities(shown)
    [stage] = told["content"]["stages"]
    assert told["content"]["total"]["estimated"]
    assert stage["estimated"]
    assert stage["agents"][0]["estimated"]


def test_a_cost_that_is_not_known_is_marked_wherever_it_stands() -> None:
    shown = events(unpriced(whole_run()))
    [last] = [each["content"] for each in activities(shown)[-1:]]
    [text_end] = [each["callsheet"] for each in shown if each["type"] == "TEXT_MESSAGE_END"]
    sums = [last["total"], *last["stages"], *(stage["agents"][0] for stage in last["stages"])]
    for each in (*sums, text_end, shown[-1]["callsheet"]):
        assert (each["cost"], each["unpriced"]) == ("0", True)
    hidden = encoded(unpriced(whole_run()), show=ShowOptions(costs=False))
    assert b"unpriced" not in hidden
    assert b"unpriced" not in encoded(whole_run())


def test_attempts_of_one_message_are_rounded_together_as_the_ledger_does() -> None:
    shown = run_with(*attempt(1, "0.0000004", "failed"), *attempt(2, "0.0000004"))
    assert activities(shown)[0]["content"]["total"]["cost"] == "0.000001"
    assert state_after(shown, {})["callsheet"]["session"]["totalCost"] == "0.500001"


def test_what_is_spent_after_the_last_stage_is_told_before_the_end() -> None:
    shown = run_with(*attempt(1, "0.001"), after=attempt(2, "0.002", message="late"))
    assert [event["type"] for event in shown[-3:]] == [
        "STATE_DELTA",
        "ACTIVITY_SNAPSHOT",
        "RUN_FINISHED",
    ]
    assert shown[-2]["content"]["total"]["cost"] == shown[-1]["callsheet"]["cost"] == "0.003"


def test_a_stage_that_asked_no_model_says_nothing_anew() -> None:
    shown = events(
        numbered(
            [
                started(),
                *inner_stage(RUN),
                StageStarted(stage="quiet"),
                StageFinished(stage="quiet", status="done"),
                RunFinished(),
            ]
        )
    )
    assert len(activities(shown)) == 1


def test_a_replay_shows_what_was_shown_live() -> None:
    live = Encoder(RUN, IDS, "1.0", SHOW_EVERYTHING)
    shown = b"".join(live.encode([entry]) for entry in whole_run())
    stored = tuple(
        Entry(entry.seq, entry.at, parse_event(dump_event(entry.event))) for entry in whole_run()
    )
    assert encoded(stored) == shown


def test_no_frame_is_added_for_text() -> None:
    few, many = whole_run(["17"]), whole_run(["17"] * 50)
    added = len(read_frames(encoded(many))) - len(read_frames(encoded(few)))
    assert added == 49
