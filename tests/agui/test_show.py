"""What clients do not see where a deployment hides models or money."""

from __future__ import annotations

import re
from typing import get_args

import msgspec
import pytest

from callsheet.agui.capabilities import capabilities_of
from callsheet.agui.encoder import Encoder
from callsheet.agui.show import ShowOptions
from callsheet.events.agent import AgentFinished
from callsheet.events.entry import Entry
from callsheet.events.run import RunFailed
from callsheet.kit.errors import RateLimited, Unpriced
from callsheet.llm.errors import ProviderCode
from tests.agui.encoded import IDS, encoded, events
from tests.agui.frames import check_event, read_frames
from tests.agui.journal import RUN, cancelled_run, failed_run, whole_run
from tests.api.fake_catalog import CHAT

NO_COSTS, NO_MODELS = ShowOptions(costs=False), ShowOptions(models=False)
NAMES = re.compile(r"deepseek|qwen|model", re.IGNORECASE)
MONEY = re.compile(r"USD|currency|\"cost\"|totalCost|\"0\.\d")


def told_why(message: str, code: str) -> tuple[Entry, ...]:
    """A run that fails, with this message on the agent and the run."""
    changed = []
    for entry in failed_run():
        event = entry.event
        if isinstance(event, AgentFinished) and event.message:
            event = msgspec.structs.replace(event, message=message)
        if isinstance(event, RunFailed):
            event = msgspec.structs.replace(event, message=message, code=code)
        changed.append(Entry(entry.seq, entry.at, event))
    return tuple(changed)


ALL = [
    whole_run(),
    cancelled_run(),
    told_why("qwen (qwen3.5-flash) answered 503.", "provider_error"),
]


@pytest.mark.parametrize("entries", ALL, ids=["whole", "cancelled", "failed"])
def test_hidden_models_are_nowhere_in_the_stream(entries: tuple[Entry, ...]) -> None:
    data = encoded(entries, show=NO_MODELS)
    shown = data.decode().replace("The model gave no answer.", "")
    assert NAMES.search(encoded(entries).decode())
    assert not NAMES.search(shown)
    assert MONEY.search(shown)
    for _, event in read_frames(data):
        check_event(event)


@pytest.mark.parametrize("entries", ALL, ids=["whole", "cancelled", "failed"])
def test_hidden_costs_are_nowhere_in_the_stream(entries: tuple[Entry, ...]) -> None:
    data = encoded(entries, show=NO_COSTS)
    shown = data.decode().replace("callsheet.cost", "")
    assert MONEY.search(encoded(entries).decode())
    assert not MONEY.search(shown)
    assert NAMES.search(shown)
    for _, event in read_frames(data):
        check_event(event)


def test_tokens_are_seen_all_the_same_in_one_entry_for_all_models() -> None:
    shown = events(whole_run(), show=ShowOptions(costs=False, models=False))
    assert shown[-1]["usage"] == [
        {
            "inputTokens": 160,
            "outputTokens": 40,
            "totalTokens": 200,
            "reasoningTokens": 4,
            "cachedInputTokens": 20,
        }
    ]
    assert shown[1]["snapshot"]["callsheet"] == {
        "session": {"totalTokens": 1_000},
        "run": {"runId": str(RUN), "totalTokens": 0},
    }


@pytest.mark.parametrize("code", [*get_args(ProviderCode), Unpriced.code, RateLimited.code])
def test_no_error_of_a_provider_is_told_in_its_own_words(code: str) -> None:
    assert "qwen" not in NO_MODELS.told(code, "qwen (qwen3.5-flash) did it.")


def test_a_spent_budget_does_not_say_how_much_it_was() -> None:
    entries = told_why("The session's budget of 1.50 USD is spent.", "budget_spent")
    assert events(entries, show=NO_COSTS)[-1]["message"] == "The budget is spent."
    assert "1.50" not in encoded(entries, show=NO_COSTS).decode()
    assert "1.50 USD" in events(entries, show=NO_MODELS)[-1]["message"]


def test_a_view_that_breaks_off_names_no_model_either() -> None:
    encoder = Encoder(RUN, IDS, "1.0", NO_MODELS)
    encoder.encode(whole_run()[:5])
    [(_, event)] = read_frames(encoder.break_off("provider_error", "qwen is away."))
    assert event["message"] == "The model gave no answer."


@pytest.mark.parametrize("code", ["turn_failed", "timed_out", "unavailable", "internal"])
def test_messages_that_name_neither_stay_as_they_are(code: str) -> None:
    assert ShowOptions(costs=False, models=False).told(code, "As it was.") == "As it was."


def test_capabilities_name_no_model_and_say_what_is_shown() -> None:
    told = capabilities_of(CHAT, NO_MODELS)
    assert "qwen" not in str(told)
    assert told["custom"]["callsheet"]["shows"] == {"costs": True, "models": False}
    assert told["state"]["snapshots"]
    assert told["state"]["deltas"]
