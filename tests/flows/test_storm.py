"""Everything at once, on two servers: afterwards the books are exact and nothing is held."""

from __future__ import annotations

import asyncio
import random
from typing import Any, Final

from tests.fakes.agui_client import AgUiClient
from tests.fakes.books import Books
from tests.fakes.chat_script import EXECUTION, chat_script
from tests.fakes.deployment import Deployment
from tests.fakes.provider.scenario import Rule, Scenario
from tests.fakes.provider.server import FakeProvider
from tests.fakes.running_app import RunningApp
from tests.fixtures.app import Serve
from tests.flows.spenders import client_of

TURNS: Final = 96
AT_ONCE: Final = 16
USERS: Final = [f"storm-user-{number}" for number in range(24)]
AUTH: Final = {"api_keys": [f"{name}:key-of-{name}" for name in USERS]}
LIMITS: Final = """limits:
  run: {calls: 3}
  session: {calls: 12}
  user_day: {cost: 0.02, tokens: 100000}
  deployment_day: {calls: 170}
"""
TOOL: Final = [{"name": "calculator", "arguments": '{"expression": "2**10"}'}]
SLOW: Final = {"text": None, "chunks": 30, "gap_s": 0.02}
WISHES: Final[dict[str, dict[str, Any]]] = {
    "plain": {},
    "tool": {"tools": TOOL},
    "silent": {"usage": "never"},
    "busy": {"fault": "status", "status": 503, "fault_times": 1},
    "broken": {"fault": "status", "status": 500},
    "dropped": {"fault": "drop", "fault_at": 2},
    "malformed": {"fault": "malformed", "fault_at": 2},
    "filtered": {"fault": "filter", "fault_at": 2},
    "empty": {"fault": "empty"},
    "stopped": {**SLOW, "fault": "stall", "fault_at": 8},  # goes on until it is stopped
    "left": SLOW,
    "left for good": SLOW,
}
CUT: Final = (
    "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
    "WHERE datname = current_database() AND application_name LIKE 'callsheet%'"
)


def storm_script() -> Scenario:
    base = chat_script(vary=True)
    ways = [
        Rule(
            match=f"{EXECUTION}.*storm {wish}!",
            set={"text": "The work is done.", "chunks": 4, **more},
        )
        for wish, more in WISHES.items()
    ]
    return Scenario(vary=True, rules=(*ways, *base.rules))


async def one_turn(base_url: Any, user: str, wish: str, thread: str) -> str:
    """A turn, what becomes of it on the way, and how it ended for the client."""
    async with client_of(base_url, user) as agui:
        async with agui.open(f"storm {wish}!", thread_id=thread) as (turn, events):
            async for event in events:
                if "w00004" not in str(event.get("delta")):
                    continue
                if wish == "left":
                    return "left"
                if wish == "left for good":
                    await agui.http.delete(f"/v1/sessions/{turn.headers['x-session-id']}")
                    return "left for good"
                if wish == "stopped":
                    await stop(agui, turn.headers["x-run-id"])
        turn.finish()
        assert turn.breaches == [], (wish, turn.breaches, turn.last)
        if turn.status != 200:
            return f"{turn.status} {turn.problem.get('code')}"
        return str(turn.last.get("code") or turn.last.get("outcome", {}).get("type") or "done")


async def stop(agui: AgUiClient, run_id: str) -> None:
    """Asked again where the database was cut off under the order."""
    while (await agui.http.post(f"/v1/runs/{run_id}/cancel")).status_code == 503:
        await asyncio.sleep(0.02)


async def storm(servers: list[Any], books: Books) -> list[str]:
    """All turns; when a third has ended, every connection to the database is cut."""
    chance = random.Random(7)
    room = asyncio.Semaphore(AT_ONCE)
    ends: list[str] = []

    async def within(number: int, user: str, wish: str) -> None:
        async with room:
            server = servers[number % len(servers)]
            ends.append(await one_turn(server, user, wish, f"thread-{user}-{number % 3}"))
        if len(ends) == TURNS // 3:
            assert await books.one(CUT) >= 2

    async with asyncio.TaskGroup() as group:
        for number in range(TURNS):
            wish = list(WISHES)[number % len(WISHES)]
            group.create_task(within(number, chance.choice(USERS), wish))
    return ends


async def test_after_a_storm_the_books_are_exact_and_nothing_is_held(
    deployment: Deployment, serve: Serve, provider: FakeProvider, database_url: str
) -> None:
    deployment.edit("config/quotas.yaml", "limits: {}", LIMITS)
    provider.scenario = storm_script()
    async with (
        serve(deployment, auth=AUTH) as (agui, books),
        RunningApp(deployment.settings(database_url, auth=AUTH)) as other,
    ):
        deadlocks = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"
        before = await books.one(deadlocks)
        ends = await storm([str(agui.http.base_url), other.base_url], books)
        await books.until_idle(30)
        assert await books.one(deadlocks) == before
        await assert_exact(books)
    assert {"done", "budget_spent", "cancelled", "left", "left for good"} <= set(ends)


async def assert_exact(books: Books) -> None:
    assert await books.audit() == {}
    held = "SELECT coalesce(sum(reserved_tokens), 0) + sum(reserved_cost) FROM budget_counters"
    assert await books.one(held) == 0
    over = await books.rows(
        "SELECT * FROM budget_counters WHERE (scope = 'deployment' AND calls > 170) "
        "OR (scope = 'user' AND (cost > 0.02 OR tokens > 100000))"
    )
    assert over == []
    for group, most in (("run_id", 3), ("session_id", 12)):
        crowded = f"SELECT {group} FROM llm_calls GROUP BY 1 HAVING count(*) > {most}"
        assert await books.rows(crowded) == []
