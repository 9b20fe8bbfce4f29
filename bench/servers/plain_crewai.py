"""CrewAI as it comes, behind FastAPI: three one-agent crews in sequence, built for each turn.

Its own executor, its own OpenAI class (one object, shared), its deltas by its own context-local
stream sink. Only telemetry and consoles are off.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import uuid
from collections.abc import AsyncIterator
from typing import Any

os.environ.update(
    CREWAI_DISABLE_TELEMETRY="true",
    CREWAI_DISABLE_TRACKING="true",
    CREWAI_TRACING_ENABLED="false",
    CREWAI_DISABLE_VERSION_CHECK="true",
    OTEL_SDK_DISABLED="true",
)

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
from crewai import LLM, Agent, Crew, Task
from crewai.events.stream_context import add_stream_sink, reset_stream_sinks
from crewai.events.types.llm_events import LLMStreamChunkEvent
from fastapi import FastAPI
from fastapi.responses import StreamingResponse

from bench.servers.prompts import STAGES, StageText


def make_app(provider: str) -> FastAPI:
    """The server, with `provider` as the model's base URL."""
    app = FastAPI()
    llm = LLM(model="openai/bench", base_url=provider, api_key="bench", stream=True)

    @app.get("/health/live")
    async def live() -> dict[str, str]:
        return {"status": "ok"}

    @app.post("/v1/agent-chat")
    async def turn(body: RunAgentInput) -> StreamingResponse:
        return StreamingResponse(_turn(llm, body), media_type="text/event-stream")

    return app


def _crew(llm: Any, stage: StageText) -> Crew:
    agent = Agent(
        role=stage.role, goal=stage.goal, backstory=stage.backstory, llm=llm, verbose=False
    )
    task = Task(
        description=f"{stage.task}\n\n{{said}}", expected_output=stage.expected, agent=agent
    )
    return Crew(agents=[agent], tasks=[task], verbose=False)


async def _turn(llm: Any, body: RunAgentInput) -> AsyncIterator[str]:
    encode = EventEncoder().encode
    loop = asyncio.get_running_loop()
    queue: asyncio.Queue[str | None] = asyncio.Queue()

    def sink(source: Any, event: Any) -> None:
        if isinstance(event, LLMStreamChunkEvent) and event.chunk:
            loop.call_soon_threadsafe(queue.put_nowait, event.chunk)

    async def kickoff(stage: StageText, said: str) -> str:
        token = add_stream_sink(sink)
        try:
            output = await _crew(llm, stage).akickoff(inputs={"said": said})
            return str(output)
        finally:
            reset_stream_sinks(token)
            loop.call_soon_threadsafe(queue.put_nowait, None)

    yield encode(RunStartedEvent(thread_id=body.thread_id, run_id=body.run_id))
    said = str(body.messages[-1].content)
    for stage in STAGES:
        message_id = str(uuid.uuid4())
        yield encode(StepStartedEvent(step_name=stage.name))
        yield encode(TextMessageStartEvent(message_id=message_id, role="assistant"))
        async with asyncio.TaskGroup() as group:
            running = group.create_task(kickoff(stage, said))
            while (delta := await queue.get()) is not None:
                yield encode(TextMessageContentEvent(message_id=message_id, delta=delta))
        said = running.result()
        yield encode(TextMessageEndEvent(message_id=message_id))
        yield encode(StepFinishedEvent(step_name=stage.name))
    yield encode(RunFinishedEvent(thread_id=body.thread_id, run_id=body.run_id))


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
