"""The messages that an execution begins with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from callsheet.crew.messages import (
    ChatMessage,
    data_message,
    history_messages,
    system_message,
    wish_of_user,
)
from callsheet.llm.model import Model
from callsheet.llm.tokens import estimate_messages
from callsheet.llm.window import fit_history, history_room_tokens
from callsheet.turn.view import HistoryMessage
from callsheet.workflows.inputs import ResolvedTask
from callsheet.workflows.workflow import AgentSpec, TaskSpec


@dataclass(frozen=True, slots=True)
class Opening:
    """`turns_left_out`: whole turns of the history that did not fit the model's window."""

    messages: tuple[ChatMessage, ...]
    turns_left_out: int


@dataclass(frozen=True, slots=True)
class Conversation:
    """What an execution is told of it; `persona` is how the user would like to be answered.

    That is data like any other: the instructions say no more of it than what it is.
    """

    history: Sequence[HistoryMessage] = ()
    persona: str | None = None


NOTHING_SAID: Final = Conversation()


def open_talk(
    agent: AgentSpec,
    task: TaskSpec,
    resolved: ResolvedTask,
    *,
    model: Model,
    tools: Sequence[Mapping[str, Any]],
    said: Conversation = NOTHING_SAID,
) -> Opening:
    """Who the agent is, what was said before, what the task works on."""
    wish = None if said.persona is None else wish_of_user(said.persona, resolved.blocks)
    history = said.history
    system = system_message(
        agent,
        resolved.description,
        resolved.expected_output,
        task.output_schema,
        None if wish is None else wish.name,
    )
    data = data_message(resolved.blocks if wish is None else (wish, *resolved.blocks))
    if not history:
        return Opening((system, data), 0)
    room = history_room_tokens(model, estimate_messages((system, data), tools))
    fitted = fit_history(history, room)
    return Opening((system, *history_messages(fitted.kept), data), fitted.turns_left_out)
