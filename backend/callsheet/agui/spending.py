"""Adds up what a run spends while its journal is read: by stage, by agent, and altogether."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from callsheet.agui.show import ShowOptions
from callsheet.agui.usage import unpriced_field
from callsheet.events.agent import AgentStarted
from callsheet.events.call import LlmCallFinished, LlmCallStarted, is_unpriced
from callsheet.events.usage import MeteredUsage
from callsheet.kit.money import plain, to_message


@dataclass(slots=True)
class Sums:
    """Of calls that have ended. `cost` is a sum of messages' costs, each rounded to 6 places."""

    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    reasoning_tokens: int = 0
    cost: Decimal = Decimal(0)
    calls: int = 0
    estimated: bool = False
    unpriced: bool = False

    def add(self, metered: MeteredUsage, cost: Decimal, *, unpriced: bool) -> None:
        """Take in one call, which made its message dearer by `cost`; `unpriced`: nobody knows."""
        usage = metered.usage
        self.input_tokens += usage.input_tokens
        self.cached_tokens += usage.cached_tokens
        self.output_tokens += usage.output_tokens
        self.reasoning_tokens += usage.reasoning_tokens
        self.cost += cost
        self.calls += 1
        self.unpriced = self.unpriced or unpriced
        self.estimated = self.estimated or metered.source == "estimated"

    @property
    def tokens(self) -> int:
        """Input and output together."""
        return self.input_tokens + self.output_tokens

    def fields(self, show: ShowOptions) -> dict[str, Any]:
        """As they stand on the wire."""
        return {
            "inputTokens": self.input_tokens,
            "cachedInputTokens": self.cached_tokens,
            "outputTokens": self.output_tokens,
            "reasoningTokens": self.reasoning_tokens,
            **({"cost": plain(self.cost)} if show.costs else {}),
            "calls": self.calls,
            "estimated": self.estimated,
            **unpriced_field(show, unpriced=self.unpriced),
        }


@dataclass(slots=True)
class _Agent:
    name: str
    sums: Sums = field(default_factory=Sums)


@dataclass(slots=True)
class _Stage:
    sums: Sums = field(default_factory=Sums)
    agents: dict[str, _Agent] = field(default_factory=dict)


class Spending:
    """Of one run. Stages and agents stand in the order of their first call that ended.

    Refused calls were never made: they are not counted.
    """

    def __init__(self) -> None:
        self.total = Sums()
        self.currency: str | None = None
        self._open: dict[str, LlmCallStarted] = {}
        self._exact: dict[str, Decimal] = {}
        self._stages: dict[str, _Stage] = {}
        self._labels: dict[str, str] = {}

    def name(self, event: AgentStarted) -> None:
        """Note how people call the agent."""
        if event.label:
            self._labels[event.agent_run_id] = event.label

    def begin(self, event: LlmCallStarted) -> None:
        """A call begins; it counts when it has ended."""
        self._open[event.call_id] = event

    def end(self, event: LlmCallFinished) -> bool:
        """A call has ended; whether it was counted."""
        call = self._open.pop(event.call_id, None)
        if call is None or event.status == "refused":
            return False
        before = self._exact.get(call.message_id, Decimal(0))
        after = self._exact[call.message_id] = before + event.cost_exact
        # As the messages are rounded, so that the sums are what the session's total grows by.
        cost = to_message(after) - to_message(before)
        self.currency = call.currency
        stage = self._stages.setdefault(call.stage, _Stage())
        agent = stage.agents.setdefault(call.agent_run_id, _Agent(call.agent))
        for sums in (self.total, stage.sums, agent.sums):
            sums.add(event.metered, cost, unpriced=is_unpriced(call, event))
        return True

    def fields(self, show: ShowOptions) -> dict[str, Any]:
        """As they stand on the wire."""
        return {
            **({"currency": self.currency} if show.costs else {}),
            "total": self.total.fields(show),
            "stages": [
                {
                    "stage": name,
                    **stage.sums.fields(show),
                    "agents": [
                        self._agent(agent_run_id, agent, show)
                        for agent_run_id, agent in stage.agents.items()
                    ],
                }
                for name, stage in self._stages.items()
            ],
        }

    def _agent(self, agent_run_id: str, agent: _Agent, show: ShowOptions) -> dict[str, Any]:
        label = self._labels.get(agent_run_id)
        return {
            "agent": agent.name,
            "agentRunId": agent_run_id,
            **({"label": label} if label else {}),
            **agent.sums.fields(show),
        }
