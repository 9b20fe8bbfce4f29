"""The messages that an execution begins with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from callsheet.crew.messages import (
    ChatMessage,
    asides,
    data_message,
    history_messages,
    system_message,
)
from callsheet.crew.offer import Offer
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
    """What an execution is told of it.

    `persona` is how the user would like to be answered, `context` what their application tells,
    `added` what they said while others of the crew were at work, `todo` the steps that an earlier
    turn has left open. All are data like any other: the instructions say no more of them than what
    they are.
    """

    history: Sequence[HistoryMessage] = ()
    persona: str | None = None
    context: str = ""
    added: str = ""
    todo: str = ""


NOTHING_SAID: Final = Conversation()


def open_talk(
    agent: AgentSpec,
    task: TaskSpec,
    resolved: ResolvedTask,
    *,
    model: Model,
    tools: Offer,
    said: Conversation = NOTHING_SAID,
) -> Opening:
    """Who the agent is, what was said before, what the task works on."""
    texts = {
        "persona": said.persona or "",
        "context": said.context,
        "afterthought": said.added,
        "todo": said.todo,
    }
    beside = asides(texts, resolved.blocks)
    system = system_message(
        agent,
        resolved.description,
        resolved.expected_output,
        task.output_schema,
        [*tools.instructions, *(aside.note for aside in beside)],
    )
    data = data_message((*(aside.block for aside in beside), *resolved.blocks))
    if not said.history:
        return Opening((system, data), 0)
    room = history_room_tokens(model, estimate_messages((system, data), tools.schemas))
    fitted = fit_history(said.history, room)
    return Opening((system, *history_messages(fitted.kept), data), fitted.turns_left_out)
