"""The session's total in the client's state, which is otherwise the client's own."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsheet.agui.run_input import Protocol
from callsheet.events.run import RunFinished
from callsheet.events.union import AnyRunEvent
from callsheet.kit.money import to_message
from tests.agui.encoded import events, state_after
from tests.agui.journal import (
    BEFORE_COST,
    BEFORE_TOKENS,
    RUN,
    inner_stage,
    numbered,
    started,
    whole_run,
)
from tests.agui.one_stage import activities, attempt, run_with

SESSION_AFTER = {
    "session": {"totalTokens": 1_200, "totalCost": "0.500124", "currency": "USD"},
    "run": {"runId": str(RUN), "totalTokens": 200, "totalCost": "0.000124"},
}


@pytest.mark.parametrize("protocol", ["1.0", "0.x"])
def test_a_run_begins_with_the_sessions_total_and_ends_with_the_new_one(protocol: Protocol) -> None:
    shown = events(whole_run(), protocol)
    assert shown[1] == {
        "type": "STATE_SNAPSHOT",
        "snapshot": {
            "callsheet": {
                "session": {
                    "totalTokens": BEFORE_TOKENS,
                    "totalCost": "0.5",
                    "currency": "USD",
                },
                "run": {"runId": str(RUN), "totalTokens": 0, "totalCost": "0"},
            }
        },
    }
    assert state_after(shown, {}) == {"callsheet": SESSION_AFTER}
    kinds = [event["type"] for event in shown]
    assert (kinds.count("STATE_SNAPSHOT"), kinds.count("STATE_DELTA")) == (1, 3)


@pytest.mark.parametrize("own", [None, {}, {"callsheet": {"session": "of an earlier run"}}])
def test_a_client_that_holds_nothing_gets_a_snapshot(own: Any) -> None:
    shown = events(whole_run(), client_state=own)
    assert shown[1]["type"] == "STATE_SNAPSHOT"
    assert state_after(shown, own) == {"callsheet": SESSION_AFTER}


def test_a_clients_own_state_is_left_as_it_is() -> None:
    own = {"cart": [1, 2], "callsheet": 7}
    shown = events(whole_run(), client_state=own)
    assert not [event for event in shown if event["type"] == "STATE_SNAPSHOT"]
    assert shown[1]["delta"][0]["op"] == "add"
    changed_meanwhile = {"cart": [3], "more": True}
    assert state_after(shown, changed_meanwhile) == {
        **changed_meanwhile,
        "callsheet": SESSION_AFTER,
    }


@pytest.mark.parametrize("own", [[], [1], "text", 0, False])
def test_a_state_that_has_no_place_for_ours_is_not_touched(own: Any) -> None:
    shown = events(whole_run(), client_state=own)
    assert not [event for event in shown if event["type"].startswith("STATE_")]
    assert len(activities(shown)) == 3


def test_a_journal_that_does_not_know_the_total_before_shows_none() -> None:
    old = msgspec.structs.replace(started(), currency=None)
    shown = events(numbered([old, *inner_stage(RUN), RunFinished()]))
    assert not [event for event in shown if event["type"].startswith("STATE_")]
    assert activities(shown)[0]["content"]["total"]["cost"] == "0.000062"


@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.integers(0, 4_000_000), st.integers(0, 1_000)), max_size=12
    )
)
def test_every_total_is_the_ledgers(calls: list[tuple[int, int, int]]) -> None:
    """Over messages, as the ledger rounds them; and parts are never more or less than the whole."""
    inside: list[AnyRunEvent] = []
    exact: dict[int, Decimal] = {}
    for number, (message, picos, tokens) in enumerate(calls):
        cost = Decimal(picos).scaleb(-12)
        exact[message] = exact.get(message, Decimal(0)) + cost
        inside += attempt(number, str(cost), message=f"message {message}", tokens=tokens)
    shown = run_with(*inside)
    total = sum((to_message(cost) for cost in exact.values()), Decimal(0))
    state = state_after(shown, {})["callsheet"]
    assert Decimal(state["session"]["totalCost"]) == BEFORE_COST + total
    assert state["session"]["totalTokens"] == BEFORE_TOKENS + sum(each[2] for each in calls)
    if calls:
        assert Decimal(shown[-1]["callsheet"]["cost"]) == total
        content = activities(shown)[-1]["content"]
        for name, of in (("calls", int), ("inputTokens", int), ("cost", Decimal)):
            parts = sum((of(stage[name]) for stage in content["stages"]), of(0))
            agents = sum(
                (of(agent[name]) for stage in content["stages"] for agent in stage["agents"]), of(0)
            )
            assert parts == agents == of(content["total"][name])
