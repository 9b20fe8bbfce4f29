"""The least that could be done: FastAPI and httpx, three calls in a row, deltas passed on.

No crews, no tools, no journal, no ledger. Written the way one would write it in an afternoon.
"""

from __future__ import annotations

import argparse
import json
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import uvicorn
from ag_ui.core import (
    RunAgentInput,
    RunFinishedEvent,
    RunStartedEvent,
    StepFinishedEvent,
    StepStartedEvent,
    TextMessageContentEvent,
    TextMessageEndEvent,
    TextMessageStartEvent,
)
from ag_ui.encoder import EventEncoder
from fastapi import FastAPI
from fastapi.responses import StreamingResponse

from bench.servers.prompts import STAGES


def make_app(provider: str) -> FastAPI:
    """The relay, with `provider` as the model's base URL."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=256)
        async with httpx.AsyncClient(timeout=60, limits=limits) as client:
            app.state.client = client
            yield

    app = FastAPI(lifespan=lifespan)

    @app.get("/health/live")
    async def live() -> dict[str, str]:
        return {"status": "ok"}

    @app.post("/v1/agent-chat")
    async def turn(body: RunAgentInput) -> StreamingResponse:
        frames = _turn(app.state.client, provider, body)
        return StreamingResponse(frames, media_type="text/event-stream")

    return app


async def _turn(
    client: httpx.AsyncClient, provider: str, body: RunAgentInput
) -> AsyncIterator[str]:
    encode = EventEncoder().encode
    yield encode(RunStartedEvent(thread_id=body.thread_id, run_id=body.run_id))
    said = str(body.messages[-1].content)
    for stage in STAGES:
        message_id = str(uuid.uuid4())
        yield encode(StepStartedEvent(step_name=stage.name))
        yield encode(TextMessageStartEvent(message_id=message_id, role="assistant"))
        text = []
        async for delta in _ask(client, provider, stage.system, stage.prompt(said)):
            text.append(delta)
            yield encode(TextMessageContentEvent(message_id=message_id, delta=delta))
        yield encode(TextMessageEndEvent(message_id=message_id))
        yield encode(StepFinishedEvent(step_name=stage.name))
        said = "".join(text)
    yield encode(RunFinishedEvent(thread_id=body.thread_id, run_id=body.run_id))


async def _ask(
    client: httpx.AsyncClient, provider: str, system: str, user: str
) -> AsyncIterator[str]:
    request = {
        "model": "bench",
        "stream": True,
        "stream_options": {"include_usage": True},
        "messages": [{"role": "system", "content": system}, {"role": "user", "content": user}],
    }
    url = f"{provider}/chat/completions"
    headers = {"authorization": "Bearer bench"}
    async with client.stream("POST", url, json=request, headers=headers) as response:
        response.raise_for_status()
        async for line in response.aiter_lines():
            if not line.startswith("data: ") or line == "data: [DONE]":
                continue
            for choice in json.loads(line[6:])["choices"]:
                if choice["delta"].get("content"):
                    yield choice["delta"]["content"]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--provider", required=True)
    args = parser.parse_args()
    uvicorn.run(
        make_app(args.provider),
        port=args.port,
        loop="uvloop",
        http="httptools",
        access_log=False,
        log_level="warning",
    )


if __name__ == "__main__":
    main()
