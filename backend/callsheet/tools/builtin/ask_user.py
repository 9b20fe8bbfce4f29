"""The tool that asks the user."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final, NoReturn

from pydantic import BaseModel, Field

from callsheet.tools.builtin.ports import BuiltinPorts
from callsheet.tools.context import ToolContext
from callsheet.tools.pause import Ask, NeedsPerson
from callsheet.tools.tool import Tool

MOST_QUESTIONS: Final = 3
LONGEST_ANSWER: Final = 4_000


class Question(BaseModel):
    """One question."""

    question: str = Field(min_length=1, max_length=500, description="The question, complete.")
    choices: list[str] = Field(
        default_factory=list,
        max_length=10,
        description="Answers to choose from, where there are such; others may be given too.",
    )


class AskUserArgs(BaseModel):
    """What to ask."""

    questions: list[Question] = Field(
        min_length=1, max_length=MOST_QUESTIONS, description="One to three, all asked together."
    )


class AskUser:
    """Asks one to three questions; the answers, in their order, are the result."""

    name: ClassVar[str] = "ask_user"
    description: ClassVar[str] = (
        "Ask the user what only they can know or decide, and wait for the answer. Ask only what "
        "the work cannot go on without."
    )
    Args: type[BaseModel] = AskUserArgs
    group: ClassVar[str] = "people"
    label: ClassVar[Mapping[str, str]] = {"en": "Ask you", "zh": "向您提问"}
    summary: ClassVar[str] = "Asks the user one to three questions and waits for the answers."
    idempotent: ClassVar[bool] = True

    async def run(self, args: AskUserArgs, ctx: ToolContext) -> NoReturn:
        """Always asks."""
        del ctx
        raise NeedsPerson(
            Ask(
                message="\n".join(each.question for each in args.questions),
                response_schema=_answers(len(args.questions)),
                detail={"questions": [each.model_dump() for each in args.questions]},
            )
        )


def offer(ports: BuiltinPorts) -> Sequence[Tool]:
    """The tool of this module."""
    del ports
    return (AskUser(),)


def _answers(count: int) -> dict[str, Any]:
    item = {"type": "string", "minLength": 1, "maxLength": LONGEST_ANSWER}
    return {
        "type": "object",
        "required": ["answers"],
        "additionalProperties": False,
        "properties": {
            "answers": {"type": "array", "items": item, "minItems": count, "maxItems": count}
        },
    }
