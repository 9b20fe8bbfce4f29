"""A client that is cut off, comes back from where it was, and never asks twice."""

from __future__ import annotations

import asyncio
import json
import random
import re
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import httpx

_HEADERS = {"content-type": "application/json", "accept": "text/event-stream"}
_ID = re.compile(r"[0-9a-f-]{36}:(\d+)\.(\d+)")
_TERMINAL = ("RUN_FINISHED", "RUN_ERROR")
_WAIT_S = 0.2


class _CutError(Exception):
    """The connection ended before the run did."""


@dataclass
class SeenRun:
    """What one client has seen of one run, over however many connections."""

    run_id: str
    word: str
    last: tuple[int, int] = (0, 0)
    last_id: str | None = None
    events: list[dict[str, Any]] = field(default_factory=list)
    connections: int = 0
    cut_by: str = ""
    breaches: list[str] = field(default_factory=list)

    @property
    def end(self) -> dict[str, Any] | None:
        """The terminal event, once it was seen with its place in the journal."""
        is_over = self.events and self.events[-1]["type"] in _TERMINAL
        return self.events[-1] if is_over else None

    @property
    def asked(self) -> list[dict[str, Any]]:
        """What the run waits for."""
        outcome = (self.end or {}).get("outcome") or {}
        found: list[dict[str, Any]] = outcome.get("interrupts", [])
        return found

    def take(self, place: str, event: dict[str, Any]) -> None:
        """Each frame comes once, behind all that were seen before."""
        found = _ID.fullmatch(place)
        assert found is not None, place
        now = (int(found[1]), int(found[2]))
        if now <= self.last:
            self.breaches.append(f"{place} came again behind {self.last_id}")
        self.last, self.last_id = now, place
        self.events.append(event)


@dataclass
class Talker:
    """One user's page: a session, and a reducer of what it is shown."""

    doors: Sequence[str]
    rng: random.Random
    drop_after: tuple[int, int] = (3, 60)
    thread_id: str = field(default_factory=lambda: str(uuid4()))
    allowed: int = 0
    said: dict[str, str] = field(default_factory=dict)
    runs: list[SeenRun] = field(default_factory=list)

    async def say(self, words: str, word: str, within_s: float) -> SeenRun:
        """One turn to its end, whatever happens on the way; what it waits for is allowed.

        `word` is one of `words` that no other turn has.
        """
        message = {"id": str(uuid4()), "role": "user", "content": words}
        seen = await self._run(word, {"messages": [message]}, within_s)
        while asked := seen.asked:
            allowed = {"status": "resolved", "payload": {"approved": True}}
            resume = [{"interruptId": each["id"], **allowed} for each in asked]
            self.allowed += len(resume)
            seen = await self._run(word, {"messages": [], "resume": resume}, within_s)
        return seen

    async def _run(self, word: str, asked: dict[str, Any], within_s: float) -> SeenRun:
        """One run to its end, over as many connections as it takes."""
        seen = SeenRun(str(uuid4()), word)
        self.runs.append(seen)
        body = {
            "threadId": self.thread_id, "runId": seen.run_id, "protocolVersion": "1.0", **asked
        }  # fmt: skip
        try:
            async with asyncio.timeout(within_s):
                while seen.end is None:
                    seen.connections += 1
                    try:
                        await self._look(seen, body)
                    except (httpx.HTTPError, _CutError) as error:
                        seen.cut_by = repr(error)
                        await asyncio.sleep(self.rng.uniform(0, _WAIT_S))
        except TimeoutError:
            seen.breaches.append(
                f"run {seen.run_id} was not over after {within_s} s: seen {seen.last_id}, "
                f"{seen.connections} connections, the last ended by {seen.cut_by}"
            )
        self._reduce(seen)
        return seen

    async def _look(self, seen: SeenRun, body: dict[str, Any]) -> None:
        """One connection: the question itself until something was seen, then from there on."""
        leave_after = self.rng.randint(*self.drop_after)
        door = self.rng.choice(self.doors)
        async with httpx.AsyncClient(base_url=door, timeout=httpx.Timeout(20, connect=2)) as http:
            if seen.last_id is None:
                asking = http.stream(
                    "POST", "/v1/agent-chat", content=json.dumps(body), headers=_HEADERS
                )
            else:
                asking = http.stream(
                    "GET", f"/v1/runs/{seen.run_id}/events",
                    headers={"Last-Event-ID": seen.last_id},
                )  # fmt: skip
            async with asking as answer:
                if answer.status_code in (409, 429, 503):
                    raise _CutError(f"{answer.status_code} {await answer.aread()!r}")
                if answer.status_code != 200:
                    raise AssertionError(f"{answer.status_code}: {await answer.aread()!r}")
                async with aclosing(_frames(answer)) as frames:
                    async for place, event in frames:
                        if place is None:  # this view breaks off; the run may go on
                            raise _CutError(str(event))
                        seen.take(place, event)
                        leave_after -= 1
                        if leave_after == 0 and seen.end is None:
                            raise _CutError

    def _reduce(self, seen: SeenRun) -> None:
        """The messages as the official client would have them now."""
        for event in seen.events:
            match event["type"]:
                case "TEXT_MESSAGE_START":
                    self.said.setdefault(event["messageId"], "")
                case "TEXT_MESSAGE_CONTENT":
                    self.said[event["messageId"]] += event["delta"]
                case "MESSAGES_SNAPSHOT":
                    self.said = {
                        message["id"]: message.get("content", "")
                        for message in event["messages"]
                        if message["role"] == "assistant" and "content" in message
                    }
                case _:
                    pass


async def _frames(
    answer: httpx.Response,
) -> AsyncGenerator[tuple[str | None, dict[str, Any]], None]:
    buffer = ""
    async for chunk in answer.aiter_text():
        *frames, buffer = (buffer + chunk).split("\n\n")
        for frame in frames:
            lines = [line for line in frame.split("\n") if line and not line.startswith(":")]
            fields = dict(line.partition(": ")[::2] for line in lines)
            if "data" in fields:
                yield fields.get("id"), json.loads(fields["data"])
