"""What all connections of the fake provider share."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from tests.fakes.provider.scenario import Scenario
from tests.fakes.provider.stats import Stats


@dataclass(slots=True)
class State:
    """What all connections share. `keep` request bodies are kept, the oldest go first."""

    scenario: Scenario = field(default_factory=Scenario)
    stats: Stats = field(default_factory=Stats)
    keep: int = 0
    strikes: dict[Scenario, int] = field(default_factory=dict)
    released: asyncio.Event = field(default_factory=asyncio.Event)

    def reset(self) -> None:
        """Back to a plain answer, with nothing counted."""
        still_open = self.stats.open
        self.scenario = Scenario()
        self.stats = Stats(open=still_open, max_open=still_open)
        self.strikes = {}
        self.released = asyncio.Event()

    def strikes_now(self, scenario: Scenario) -> bool:
        """True where the scenario's fault is due for this request."""
        if scenario.fault == "none":
            return False
        met = self.strikes[scenario] = self.strikes.get(scenario, 0) + 1
        if met % scenario.fault_every:
            return False
        done = met // scenario.fault_every
        return scenario.fault_times is None or done <= scenario.fault_times
