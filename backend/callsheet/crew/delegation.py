"""Agents that hand work to each other: the two tools that CrewAI has for it, done on our loop."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, Protocol

from pydantic import BaseModel, Field

from callsheet.events.call import RequestedTool
from callsheet.kit.deadline import Deadline
from callsheet.kit.errors import AppError, QuotaSpent, ToolFailed, ToolRetry
from callsheet.tools.arguments import digest_of, parse_arguments, validated
from callsheet.tools.invoke import ToolOutcome
from callsheet.workflows.inputs import DataBlock

DELEGATE: Final = "delegate_work_to_coworker"
ASK: Final = "ask_question_to_coworker"
_MAX_CHARS: Final = 65_536


class DelegateArgs(BaseModel):
    """Arguments of `delegate_work_to_coworker`."""

    task: str = Field(min_length=1)
    context: str = ""
    coworker: str


class AskArgs(BaseModel):
    """Arguments of `ask_question_to_coworker`."""

    question: str = Field(min_length=1)
    context: str = ""
    coworker: str


_ARGS: Final[Mapping[str, type[DelegateArgs | AskArgs]]] = {DELEGATE: DelegateArgs, ASK: AskArgs}


class Hire(Protocol):
    """Has a fresh execution of a coworker do an order; gives its answer's text."""

    async def __call__(
        self, name: str, blocks: Sequence[DataBlock], call_id: str, by: Deadline
    ) -> str: ...


class Delegation:
    """What one agent may ask of the others of its crew."""

    def __init__(self, coworkers: Mapping[str, str], hire: Hire) -> None:
        self._coworkers = coworkers
        self._hire = hire

    def schemas(self) -> Sequence[Mapping[str, Any]]:
        """Both tools as a model sees them; none where there is nobody to ask."""
        if not self._coworkers:
            return ()
        who = "; ".join(f"{name}: {role}" for name, role in self._coworkers.items())
        return (
            self._schema(DELEGATE, "task", f"Hand a whole task to a coworker ({who})."),
            self._schema(ASK, "question", f"Ask a coworker one question ({who})."),
        )

    def takes(self, name: str) -> bool:
        """Whether a tool call of this name is for a coworker."""
        return bool(self._coworkers) and name in {DELEGATE, ASK}

    async def call(self, call: RequestedTool, deadline: Deadline) -> ToolOutcome:
        """Have the coworker do it. Its failure is an outcome for the one who asked.

        Raises:
            QuotaSpent: no model can be called any more, so that there is nobody to tell.
        """
        started = time.perf_counter()
        status: Literal["ok", "error"] = "error"
        try:
            content = await self._have_done(call, deadline)
            status = "ok"
        except (ToolRetry, ToolFailed) as error:
            content = f"Error: {error}"
        except QuotaSpent:
            raise
        except AppError as error:
            content = f"Error: the coworker could not do it ({error.error_code})."
        return ToolOutcome(
            status=status,
            content=content,
            latency_ms=round((time.perf_counter() - started) * 1000),
            args_digest=digest_of(call.arguments),
        )

    async def _have_done(self, call: RequestedTool, deadline: Deadline) -> str:
        values = parse_arguments(call.arguments, max_chars=_MAX_CHARS)
        args = validated(_ARGS[call.name], values)
        assert isinstance(args, (DelegateArgs, AskArgs))  # noqa: S101  narrows for the type checker
        order = args.task if isinstance(args, DelegateArgs) else args.question
        name = self._find(args.coworker)
        blocks = (DataBlock("order", order), DataBlock("context", args.context))
        return await self._hire(name, blocks, call.tool_call_id, deadline)

    def _find(self, coworker: str) -> str:
        wanted = coworker.strip().casefold()
        for name, role in self._coworkers.items():
            if wanted in {name.casefold(), role.casefold()}:
                return name
        raise ToolRetry(f"There is no coworker {coworker[:64]!r}: {', '.join(self._coworkers)}.")

    def _schema(self, name: str, what: str, description: str) -> Mapping[str, Any]:
        properties = {
            what: {"type": "string", "description": f"The {what}, complete in itself."},
            "context": {
                "type": "string",
                "description": "All that the coworker needs to know; it knows nothing else.",
            },
            "coworker": {"type": "string", "enum": list(self._coworkers)},
        }
        return {
            "type": "function",
            "function": {
                "name": name,
                "description": description,
                "parameters": {
                    "type": "object",
                    "properties": properties,
                    "required": [what, "context", "coworker"],
                },
            },
        }
