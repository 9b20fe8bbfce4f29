"""Old turns are left out whole."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from callsheet.llm.tokens import PER_MESSAGE_TOKENS, estimate_tokens
from callsheet.llm.window import fit_history, history_room_tokens
from tests.llm.calling import a_model


@dataclass(frozen=True)
class Line:
    role: str
    text: str


WORDS = "seven words make up this short line"
COST = PER_MESSAGE_TOKENS + estimate_tokens(WORDS)
TALK = [Line("user", WORDS), Line("assistant", WORDS)] * 3


@pytest.mark.parametrize(
    ("room", "kept", "left_out"),
    [
        (COST * 6, 6, 0),
        (COST * 6 - 1, 4, 1),
        (COST * 4, 4, 1),
        (COST * 3, 2, 2),
        (COST, 0, 3),
        (0, 0, 3),
    ],
)
def test_the_newest_turns_stay(room: int, kept: int, left_out: int) -> None:
    fitted = fit_history(TALK, room)

    assert fitted.kept == tuple(TALK[len(TALK) - kept :])
    assert fitted.turns_left_out == left_out


def test_answers_go_with_their_question() -> None:
    talk = [
        Line("assistant", WORDS),
        Line("user", WORDS),
        Line("assistant", WORDS),
        Line("assistant", WORDS),
    ]

    assert fit_history(talk, COST * 3).kept == tuple(talk[1:])
    assert fit_history(talk, COST * 2).kept == ()
    assert fit_history(talk, COST * 2).turns_left_out == 2


def test_an_old_turn_does_not_come_back_because_it_is_short() -> None:
    talk = [Line("user", "a"), Line("user", WORDS * 50), Line("user", WORDS)]

    assert fit_history(talk, COST * 2).kept == (talk[2],)


def test_nothing_said() -> None:
    assert fit_history([], 0).kept == ()


def test_room_is_what_the_rest_and_the_answer_leave() -> None:
    model = a_model(context_window_tokens=10_000, max_output_tokens=2_000)

    assert history_room_tokens(model, 1_000) == 6_000
    assert history_room_tokens(model, 9_000) == 0
