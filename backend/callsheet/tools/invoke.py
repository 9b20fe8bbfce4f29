"""One tool call, from the model's text to a text for the model. It never fails the turn."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any, Literal

import structlog
from pydantic import BaseModel

from callsheet.kit.errors import ToolFailed, ToolRetry
from callsheet.kit.text import clean
from callsheet.tools.arguments import digest_of, parse_arguments, validated
from callsheet.tools.context import ToolContext
from callsheet.tools.options import ToolOptions
from callsheet.tools.pause import Ask, NeedsPerson, approval_of
from callsheet.tools.policy import Policy, Verdict
from callsheet.tools.registry import ToolRegistry
from callsheet.tools.result import clipped, result_text
from callsheet.tools.sourced import numbered
from callsheet.tools.tool import Tool
from callsheet.workflows.tools_file import REQUEST_PLAN

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class ToolOutcome:
    """How a call ended. `content` goes to the model; `args_digest` is SHA-256 in hex.

    `rejected`: a person did not allow it, or would not answer it.
    """

    status: Literal["ok", "error", "rejected"]
    content: str
    latency_ms: int
    args_digest: str


class ToolInvoker:
    """Runs tools by name: arguments checked, policy asked, time bounded, result made text and
    clipped.
    """

    def __init__(self, registry: ToolRegistry, policy: Policy | None = None) -> None:
        self._registry = registry
        self._policy = policy or Policy()

    def offers(self, name: str) -> bool:
        """Whether an agent that may use the tool gets it: it is there, usable now, not denied."""
        is_there = self._registry.find(name) is not None
        return is_there and self._registry.unavailable(name) is None and not self._is_denied(name)

    def verdict(self, name: str, *, needs_plan: bool = False) -> Verdict:
        """What becomes of calls of a registered tool; raises KeyError where there is none."""
        return self._policy.verdict(self._registry.facts(name), needs_plan=needs_plan)

    def options_of(self, name: str) -> ToolOptions:
        """The limits of the tool of that name."""
        own_s = getattr(self._registry.find(name), "timeout_s", None)
        says_it = isinstance(own_s, int | float) and own_s > 0
        return self._policy.options(name, own_s if says_it else None)

    async def invoke(
        self,
        name: str,
        arguments: str,
        ctx: ToolContext,
        *,
        allowed: Collection[str],
        needs_plan: bool = False,
        is_approved: bool = False,
    ) -> ToolOutcome:
        """Call the tool `name` with the arguments as the model wrote them.

        `allowed` is what the agent may use; a name outside it, or one that is denied, is answered
        like one that does not exist. `needs_plan` as in `Policy.verdict`; `is_approved`: a person
        has allowed this very call, whatever the policy says of asking. Whatever goes wrong is an
        outcome with status `error`; only cancellation leaves as an exception, and:

        Raises:
            NeedsPerson: the tool asks somebody; the call has no result yet.
        """
        started = time.perf_counter()
        status: Literal["ok", "error"] = "error"
        options = self.options_of(name)
        try:
            tool = self._found(name, allowed)
            args = _arguments(tool, arguments, options)
            if not is_approved:
                self._let(name, needs_plan=needs_plan)
            content = result_text(numbered(await _run(tool, args, ctx, options), ctx.tell))
            status = "ok"
        except (ToolRetry, ToolFailed) as error:
            content = f"Error: {error}"
        except NeedsPerson:
            raise
        except (Exception, SystemExit):  # noqa: BLE001 - the border: a broken tool is an outcome
            _log.exception("tool_crashed", tool=name, tool_call_id=ctx.tool_call_id)
            content = f"Error: the tool {name!r} failed inside; go on without it."
        return ToolOutcome(
            status=status,
            content=clipped(clean(content), max_chars=options.max_result_chars),
            latency_ms=round((time.perf_counter() - started) * 1000),
            args_digest=digest_of(arguments),
        )

    def ask_first(
        self, name: str, arguments: str, *, allowed: Collection[str], needs_plan: bool = False
    ) -> Ask | None:
        """What a person has to allow before the call is made; None where nobody is asked.

        A call that cannot work is not asked for: `invoke` says what is wrong with it.
        """
        try:
            tool = self._found(name, allowed)
            values = _values(arguments, self.options_of(name))
            validated(tool.Args, values)
        except Exception:  # noqa: BLE001 - whatever is wrong, `invoke` comes to it too
            return None
        verdict = self.verdict(name, needs_plan=needs_plan)
        if verdict.kind != "ask":
            return None
        return approval_of(self._registry.facts(name), values, verdict.reason)

    def _is_denied(self, name: str) -> bool:
        return self.verdict(name).kind == "deny"

    def _found(self, name: str, allowed: Collection[str]) -> Tool:
        """ToolFailed where the agent has no such tool."""
        tool = self._registry.find(name) if name in allowed else None
        if tool is None or self._is_denied(name):
            raise ToolFailed(f"There is no tool called {name[:64]!r}; go on without it.")
        return tool

    def _let(self, name: str, *, needs_plan: bool) -> None:
        """ToolFailed where the call may not be made as things stand."""
        verdict = self.verdict(name, needs_plan=needs_plan)
        if verdict.kind == "plan":
            raise ToolFailed(
                f"The user wants to see a plan before anything is changed, and {name!r} changes "
                f"something. Call {REQUEST_PLAN!r} first, and this tool once the plan is approved."
            )
        if verdict.kind == "ask":
            raise ToolFailed(
                f"The tool {name!r} has to be allowed by the user, and nobody was asked."
            )


def _values(arguments: str, options: ToolOptions) -> dict[str, Any]:
    return parse_arguments(arguments, max_chars=options.max_argument_chars)


def _arguments(tool: Tool, arguments: str, options: ToolOptions) -> BaseModel:
    return validated(tool.Args, _values(arguments, options))


async def _run(tool: Tool, args: BaseModel, ctx: ToolContext, options: ToolOptions) -> Any:
    """What the tool gives, under the deadline that it is handed; ToolFailed where it is late."""
    limit = ctx.deadline.within(options.timeout_s)
    timeout = limit.timeout()
    try:
        async with timeout:
            return await tool.run(args, replace(ctx, deadline=limit))
    except TimeoutError as error:
        if not timeout.expired():
            raise
        raise ToolFailed(
            f"The tool {tool.name!r} was stopped: it did not finish in time."
        ) from error
    except asyncio.CancelledError as error:
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise
        # Nobody stopped the call: as a cancellation it would end without any result.
        raise RuntimeError(f"The tool {tool.name!r} cancelled itself.") from error
