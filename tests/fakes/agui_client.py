"""An AG-UI client for tests: reads the stream strictly and checks the order of its events."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import httpx

from tests.fakes.agui_order import TERMINAL, AgUiOrder

_FRAME_ID = re.compile(r"([0-9a-f-]{36}):(\d+)\.(\d+)")


def _refuse(name: str) -> None:
    raise AssertionError(f"{name} is not JSON")


@dataclass(slots=True)
class Turn:
    """What a client saw of one turn. `breaches` is empty where all was as it must be."""

    thread_id: str
    run_id: str
    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    events: list[dict[str, Any]] = field(default_factory=list)
    frame_ids: list[str] = field(default_factory=list)
    problem: dict[str, Any] = field(default_factory=dict)
    order: AgUiOrder = field(default_factory=AgUiOrder)
    breaches: list[str] = field(default_factory=list)

    def take(self, frame: str) -> dict[str, Any] | None:
        """Take one SSE frame; None for a comment."""
        if "\r" in frame:
            self.breaches.append("a frame with CR")
        lines = [line for line in frame.split("\n") if line and not line.startswith(":")]
        if not lines:
            return None
        fields = [line.partition(": ") for line in lines]
        data = "\n".join(value for name, _, value in fields if name == "data")
        event: dict[str, Any] = json.loads(data, parse_constant=_refuse)
        self.frame_ids += [value for name, _, value in fields if name == "id"]
        self.events.append(event)
        self.order.feed(str(event.get("type")), event)
        return event

    def finish(self) -> Turn:
        """Check what can only be said at the end."""
        if self.status == 200:
            self.breaches += self.order.finish()
            self.breaches += self._id_breaches()
        return self

    def of(self, *kinds: str) -> list[dict[str, Any]]:
        """The events of these types, in order."""
        return [event for event in self.events if event["type"] in kinds]

    def kinds(self) -> list[str]:
        """The types of all events, in order."""
        return [str(event["type"]) for event in self.events]

    @property
    def text(self) -> str:
        """The answer as a user reads it."""
        return "".join(event["delta"] for event in self.of("TEXT_MESSAGE_CONTENT"))

    @property
    def reasoning(self) -> str:
        """All that was shown as reasoning."""
        return "".join(event["delta"] for event in self.of("REASONING_MESSAGE_CONTENT"))

    @property
    def last(self) -> dict[str, Any]:
        """The terminal event."""
        return self.events[-1]

    @property
    def steps(self) -> list[str]:
        """The stages that began, in order."""
        return [event["stepName"] for event in self.of("STEP_STARTED")]

    def _id_breaches(self) -> list[str]:
        places = [_FRAME_ID.fullmatch(each) for each in self.frame_ids]
        if None in places or len(places) != len(self.events):
            return [f"frames without a proper id: {self.frame_ids[:3]}"]
        order = [(int(found[2]), int(found[3])) for found in places if found]
        if order != sorted(set(order)):
            return ["frame ids that do not grow"]
        return [] if len({found[1] for found in places if found}) == 1 else ["ids of two runs"]


class AgUiClient:
    """Talks to one server; `http` has its address."""

    def __init__(self, http: httpx.AsyncClient, *, protocol: str | None = "1.0") -> None:
        self.http = http
        self._protocol = protocol

    def body(
        self, text: str, *, thread_id: str | None = None, run_id: str | None = None, **more: Any
    ) -> dict[str, Any]:
        """A RunAgentInput whose only message is `text`."""
        version = {"protocolVersion": self._protocol} if self._protocol else {}
        return {
            "threadId": thread_id or str(uuid4()),
            "runId": run_id or str(uuid4()),
            "messages": [{"id": str(uuid4()), "role": "user", "content": text}],
            "state": {},
            "tools": [],
            "context": [],
            "forwardedProps": {},
            **version,
            **more,
        }

    async def ask(self, text: str, **more: Any) -> Turn:
        """One turn, to its end."""
        async with self.open(text, **more) as (turn, events):
            async for _ in events:
                pass
        return turn.finish()

    @asynccontextmanager
    async def open(
        self, text: str, *, path: str = "/v1/agent-chat", **more: Any
    ) -> AsyncIterator[tuple[Turn, AsyncIterator[dict[str, Any]]]]:
        """A turn under way; leaving the block closes the connection."""
        async with self._posting(path, self.body(text, **more)) as asked:
            yield asked

    async def go_on(self, run_id: str, **body: Any) -> Turn:
        """Go on from a run that broke off, to the end of the new one."""
        own = {"runId": str(uuid4()), "protocolVersion": "1.0", **body}
        async with self._posting(f"/v1/runs/{run_id}/continue", own) as (turn, events):
            async for _ in events:
                pass
        return turn.finish()

    @asynccontextmanager
    async def _posting(
        self, path: str, body: dict[str, Any]
    ) -> AsyncIterator[tuple[Turn, AsyncIterator[dict[str, Any]]]]:
        turn = Turn(body.get("threadId", ""), body["runId"])
        async with self.http.stream(
            "POST", path, content=json.dumps(body), headers=_HEADERS
        ) as response:
            turn.status = response.status_code
            turn.headers = dict(response.headers)
            if response.status_code >= 400:
                turn.problem = json.loads(await response.aread())
            yield turn, _events(turn, response)

    @asynccontextmanager
    async def watch(
        self, run_id: str, *, last_event_id: str | None = None, **query: str
    ) -> AsyncIterator[tuple[Turn, AsyncIterator[dict[str, Any]]]]:
        """Look on at a run that was let in before."""
        headers = {} if last_event_id is None else {"Last-Event-ID": last_event_id}
        async with self._looking(f"/v1/runs/{run_id}/events", headers, query) as looked:
            yield looked

    @asynccontextmanager
    async def connect(
        self, thread_id: str
    ) -> AsyncIterator[tuple[Turn, AsyncIterator[dict[str, Any]]]]:
        """Come back to a session with nothing in hand."""
        async with self._looking(f"/v1/sessions/{thread_id}/connect", {}, {}) as looked:
            yield looked

    @asynccontextmanager
    async def _looking(
        self, path: str, headers: dict[str, str], query: dict[str, str]
    ) -> AsyncIterator[tuple[Turn, AsyncIterator[dict[str, Any]]]]:
        turn = Turn("", "")
        async with self.http.stream("GET", path, headers=headers, params=query) as response:
            turn.status = response.status_code
            turn.headers = dict(response.headers)
            if response.status_code >= 400:
                turn.problem = json.loads(await response.aread())
            yield turn, _events(turn, response)


_HEADERS = {"content-type": "application/json", "accept": "text/event-stream"}


async def _events(turn: Turn, response: httpx.Response) -> AsyncIterator[dict[str, Any]]:
    if turn.status != 200:
        return
    buffer = ""
    async for chunk in response.aiter_text():
        *frames, buffer = (buffer + chunk).split("\n\n")
        for frame in frames:
            event = turn.take(frame)
            if event is not None:
                yield event
    if buffer:
        turn.breaches.append("the stream ended inside a frame")
    if turn.events and turn.events[-1]["type"] not in TERMINAL:
        turn.breaches.append("the stream ended without a terminal event")
