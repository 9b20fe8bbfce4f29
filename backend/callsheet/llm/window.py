"""Fits what was said before into what a model can read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from callsheet.llm.model import Model
from callsheet.llm.tokens import PER_MESSAGE_TOKENS, estimate_tokens


class Said(Protocol):
    """One earlier message."""

    @property
    def role(self) -> str: ...

    @property
    def text(self) -> str: ...


SaidT = TypeVar("SaidT", bound=Said)


@dataclass(frozen=True, slots=True)
class Fitted(Generic[SaidT]):
    """The messages that fit, oldest first, and how many whole turns were left out."""

    kept: tuple[SaidT, ...]
    turns_left_out: int


def history_room_tokens(model: Model, other_input_tokens: int) -> int:
    """Tokens left for the history beside the rest of the request and the answer.

    A tenth of the window is kept free, since tokens are estimated.
    """
    usable = model.context_window_tokens * 9 // 10
    return max(0, usable - other_input_tokens - model.max_output_tokens)


def fit_history(history: Sequence[SaidT], room_tokens: int) -> Fitted[SaidT]:
    """Leave out the oldest whole turns until the rest fits.

    A turn begins with a user's message; what stands before the first one is a turn of its own.
    """
    turns = _turns(history)
    left, first = room_tokens, len(turns)
    for index in range(len(turns) - 1, -1, -1):
        left -= sum(PER_MESSAGE_TOKENS + estimate_tokens(said.text) for said in turns[index])
        if left < 0:
            break
        first = index
    kept = tuple(said for turn in turns[first:] for said in turn)
    return Fitted(kept, first)


def _turns(history: Sequence[SaidT]) -> list[list[SaidT]]:
    turns: list[list[SaidT]] = []
    for said in history:
        if said.role == "user" or not turns:
            turns.append([])
        turns[-1].append(said)
    return turns
