"""What the fake provider does: plain data, in-process or as JSON over its control door."""

from __future__ import annotations

import re
from functools import cached_property
from typing import Any, Literal

import msgspec

Fault = Literal[
    "none",
    "status",  # an HTTP error (`status`, `error_code`, `retry_after`)
    "hang",  # not one byte until the client leaves
    "stall",  # `fault_at` pieces, then silence until the client leaves
    "drop",  # `fault_at` pieces, then the connection is cut
    "malformed",  # a broken JSON line after `fault_at` pieces
    "error_chunk",  # an error object inside the stream after `fault_at` pieces
    "empty",  # a stream without a single choice
    "blank",  # an answer that ends without a character
    "filter",  # the content filter ends the answer after `fault_at` pieces
    "short",  # the stream ends cleanly after `fault_at` pieces, without a reason or an end mark
    "no_done",  # the answer is whole, but the end mark is missing
]


class ToolAsk(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A tool call that the model asks for; no name: the first tool that is offered."""

    name: str | None = None
    arguments: str = "{}"


class Scenario(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    omit_defaults=True,
    forbid_unknown_fields=True,
    dict=True,
):
    """One way to answer. Seconds, tokens, pieces (deltas of one answer).

    `text` None: `chunks` counted words `w00000 w00001 ...`, so that a lost one shows; else the
    text is split into `chunks` pieces. `pieces` are said instead, as they are. `echo` puts the
    marker-... words of the user's messages before it, `stamp` puts `@<CLOCK_MONOTONIC in ns> ` into
    each piece when it is written.
    `tools` are asked for once after each user message, if tools are offered; with `tools_always`
    whenever they are offered. `tool_mix` sends the pieces of several calls in turn: `index` with
    the call's index on each, `bare` with nothing that tells them apart after their names.
    `vary` makes the tokens differ from request to request. `fault` strikes every
    `fault_every`-th request that meets the scenario, and only the first `fault_times`.
    `held` answers wait after their first write until they are released.
    """

    chunks: int = 1
    text: str | None = None
    pieces: tuple[str, ...] = ()
    first_byte_s: float = 0.0
    gap_s: float = 0.0
    held: bool = False
    batch: int = 1
    reasoning: int = 0
    echo: bool = False
    stamp: bool = False
    tools: tuple[ToolAsk, ...] = ()
    tool_pieces: int = 4
    tool_mix: Literal["none", "index", "bare"] = "none"
    tools_always: bool = False
    usage: Literal["asked", "always", "never"] = "asked"
    prompt_tokens: int = 11
    cached_tokens: int = 3
    completion_tokens: int | None = None
    reasoning_tokens: int = 0
    vary: bool = False
    finish_reason: str = "stop"
    fault: Fault = "none"
    fault_at: int = 0
    fault_every: int = 1
    fault_times: int | None = None
    status: int = 500
    error_code: str = "server_error"
    retry_after: str | None = None
    rules: tuple[Rule, ...] = ()

    @cached_property
    def merged(self) -> tuple[tuple[re.Pattern[str], Scenario], ...]:
        """Each rule's pattern with the scenario that it makes."""
        base = msgspec.to_builtins(self)
        base.pop("rules", None)
        return tuple(
            (re.compile(rule.match, re.DOTALL), msgspec.convert({**base, **rule.set}, Scenario))
            for rule in self.rules
        )

    def choose(self, conversation: str) -> Scenario:
        """The scenario of the first rule that is found in the messages, else this one."""
        for pattern, scenario in self.merged:
            if pattern.search(conversation):
                return scenario
        return self


class Rule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where `match` (a regular expression) is found in the messages, `set` overrides fields."""

    match: str
    set: dict[str, Any]
