"""A stage runner that does what a test says, and a log that keeps what was emitted."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from callsheet.events.entry import Entry
from callsheet.events.union import AnyRunEvent
from callsheet.kit.errors import Unpriced
from callsheet.kit.ids import new_id
from callsheet.ledger.budget.refusal import Refusal
from callsheet.ledger.price.price import Price
from callsheet.ledger.price.quote import Quote
from callsheet.turn.meter import Meter
from callsheet.turn.ports import Emit, StageWork
from callsheet.turn.request import TurnRequest
from callsheet.turn.view import Earlier, StageResult
from callsheet.workflows.workflow import AgentSpec, Retry, Stage, TaskSpec, Workflow

Play = Callable[[StageWork, Emit, Meter], Awaitable[StageResult]]
MOMENT = datetime(2026, 1, 1, 12, 0, tzinfo=UTC)


class MemoryLog:
    """Implements `RunLog` in memory."""

    def __init__(self) -> None:
        self.events: list[AnyRunEvent] = []
        self.refused: Refusal | None = None

    def append(self, event: AnyRunEvent) -> Entry:
        self.events.append(event)
        return Entry(len(self.events), MOMENT, event)

    async def stored(self) -> None:
        return

    def refusal(self, call_id: str) -> Refusal | None:
        return self.refused

    def message_seq(self, message_id: str) -> int:
        return 7

    def of(self, *kinds: type) -> list[AnyRunEvent]:
        return [event for event in self.events if isinstance(event, kinds)]


class OnePrice:
    """Implements `Prices`: model `m` of factory `f` has a price, nothing else has."""

    input_per_million = Decimal(1)

    def quote(self, factory: str, model_code: str, at: datetime) -> Quote:
        if (factory, model_code) != ("f", "m"):
            raise Unpriced(f"no price for {model_code}")
        price = Price(
            id=UUID(int=1),
            factory="f",
            model_code="m",
            currency="USD",
            valid_from=None,
            valid_to=None,
            input_per_million=self.input_per_million,
            cached_per_million=Decimal("0.1"),
            cache_write_per_million=None,
            output_per_million=Decimal(3),
            reasoning_per_million=None,
        )
        return Quote((price,), "USD", "USD")


class NoHistory:
    """Implements `History`: nothing was said before."""

    async def before(self, request: TurnRequest) -> Earlier:
        return Earlier()


class ScriptedRunner:
    """Implements `StageRunner`: plays a function by stage name, else answers with the name."""

    def __init__(self, **plays: Play) -> None:
        self.plays = plays
        self.ran: list[tuple[str, bool, int]] = []

    async def run(self, work: StageWork, emit: Emit, meter: Meter) -> StageResult:
        self.ran.append((work.stage.name, work.visible, work.attempt))
        play = self.plays.get(work.stage.name)
        if play is not None:
            return await play(work, emit, meter)
        return StageResult(text=work.stage.name, message_id=str(new_id()))


def stage(name: str, **changes: object) -> Stage:
    agent = AgentSpec(name="a", role="r", goal="g", backstory="b", default_model="m")
    task = TaskSpec(name="t", description="d", expected_output="e", agent="a")
    values: dict[str, object] = {"name": name, "agents": {"a": agent}, "tasks": (task,), **changes}
    return Stage(**values)  # type: ignore[arg-type]


def workflow(*stages: Stage, timeout_s: float = 60.0) -> Workflow:
    return Workflow(name="chat", revision="rev", stages=stages, timeout_s=timeout_s)


def request() -> TurnRequest:
    return TurnRequest(
        run_id=new_id(),
        session_id=new_id(),
        user_id=new_id(),
        workflow="chat",
        message_id=new_id(),
        message_text="Hello",
        trace_id="trace",
    )


class PlainRule:
    """A `Rule` in Python."""

    def __init__(self, holds: Callable[[dict[str, Any]], bool], *stages: str) -> None:
        self._holds = holds
        self.expression = "plain"
        self.stages = frozenset(stages)

    def holds(self, variables: dict[str, Any]) -> bool:
        return self._holds(variables)


RETRY_ONCE = Retry(attempts=2, on=frozenset({"invalid_output"}))
