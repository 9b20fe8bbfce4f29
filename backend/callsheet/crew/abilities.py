"""What all runs share: the model client, the tools, and the limits."""

from __future__ import annotations

from dataclasses import dataclass, field

from callsheet.crew.options import CrewOptions
from callsheet.crew.rates import NoRates, Rates
from callsheet.kit.clock import Clock
from callsheet.llm.protocol import ChatClient
from callsheet.llm.registry import Models
from callsheet.llm.retry import RetryPolicy
from callsheet.tools.invoke import ToolInvoker
from callsheet.tools.more_tools import MoreTools, NoMoreTools
from callsheet.tools.registry import ToolRegistry


@dataclass(frozen=True, slots=True)
class Abilities:
    """Given by `wiring` once; holds nothing of any run."""

    client: ChatClient
    models: Models
    tools: ToolRegistry
    invoker: ToolInvoker
    clock: Clock
    retry: RetryPolicy = field(default_factory=RetryPolicy)
    options: CrewOptions = field(default_factory=CrewOptions)
    rates: Rates = field(default_factory=NoRates)
    more_tools: MoreTools = field(default_factory=NoMoreTools)
