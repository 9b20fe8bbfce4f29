"""One tool call, from the model's text to a text for the model. It never fails the turn."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import structlog

from callsheet.kit.errors import ToolFailed, ToolRetry
from callsheet.kit.text import clean
from callsheet.tools.arguments import digest_of, parse_arguments, validated
from callsheet.tools.context import ToolContext
from callsheet.tools.options import ToolOptions
from callsheet.tools.pause import Ask, NeedsPerson, approval_of
from callsheet.tools.registry import ToolRegistry
from callsheet.tools.result import clipped, result_text
from callsheet.tools.tool import Tool

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
    """Runs tools by name: arguments checked, time bounded, result made text and clipped."""

    def __init__(
        self,
        registry: ToolRegistry,
        options: ToolOptions,
        per_tool: Mapping[str, ToolOptions] | None = None,
    ) -> None:
        """`per_tool` holds the tools whose limits are not the common `options`."""
        self._registry = registry
        self._options = options
        self._per_tool = dict(per_tool or {})

    async def invoke(
        self, name: str, arguments: str, ctx: ToolContext, *, allowed: Collection[str]
    ) -> ToolOutcome:
        """Call the tool `name` with the arguments as the model wrote them.

        `allowed` is what the agent may use; a name outside it is answered like one that does
        not exist. Whatever goes wrong is an outcome with status `error`; only cancellation
        leaves as an exception, and:

        Raises:
            NeedsPerson: the tool asks somebody; the call has no result yet.
        """
        started = time.perf_counter()
        status: Literal["ok", "error"] = "error"
        tool = self._registry.find(name) if name in allowed else None
        try:
            if tool is None:
                raise ToolFailed(f"There is no tool called {name[:64]!r}; go on without it.")
            content = result_text(await self._run(tool, arguments, ctx))
            status = "ok"
        except (ToolRetry, ToolFailed) as error:
            content = f"Error: {error}"
        except NeedsPerson:
            raise
        except Exception:  # noqa: BLE001 - the border: a broken tool is an outcome, not a failed turn
            _log.exception("tool_crashed", tool=name, tool_call_id=ctx.tool_call_id)
            content = f"Error: the tool {name!r} failed inside; go on without it."
        return ToolOutcome(
            status=status,
            content=clipped(clean(content), max_chars=self.options_of(name).max_result_chars),
            latency_ms=round((time.perf_counter() - started) * 1000),
            args_digest=digest_of(arguments),
        )

    def ask_first(self, name: str, arguments: str, *, allowed: Collection[str]) -> Ask | None:
        """What a person has to allow before the call is made; None where nobody is asked.

        A call that cannot work is not asked for: `invoke` says what is wrong with it.
        """
        tool = self._registry.find(name) if name in allowed else None
        options = self.options_of(name)
        if tool is None or not options.asks_first:
            return None
        try:
            values = parse_arguments(arguments, max_chars=options.max_argument_chars)
            validated(tool.Args, values)
        except ToolRetry:
            return None
        [schema] = self._registry.schemas([name])
        return approval_of(name, values, schema["function"]["parameters"])

    def options_of(self, name: str) -> ToolOptions:
        """The limits of the tool of that name."""
        return self._per_tool.get(name, self._options)

    async def _run(self, tool: Tool, arguments: str, ctx: ToolContext) -> Any:
        options = self.options_of(tool.name)
        values = parse_arguments(arguments, max_chars=options.max_argument_chars)
        args = validated(tool.Args, values)
        timeout = ctx.deadline.within(options.timeout_s).timeout()
        try:
            async with timeout:
                return await tool.run(args, ctx)
        except TimeoutError as error:
            if not timeout.expired():
                raise
            raise ToolFailed(
                f"The tool {tool.name!r} was stopped: it did not finish in time."
            ) from error
