"""Shared by these tests: play one stage and keep all that came of it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from callsheet.kit.clock import SystemClock
from callsheet.llm.openai_compat.aiohttp import AiohttpTransport
from callsheet.llm.openai_compat.client import OpenAiChatClient
from callsheet.llm.protocol import ChatClient
from callsheet.turn.ports import StageWork
from callsheet.turn.view import StageResult
from tests.fakes.chat import OneModel
from tests.fakes.provider.server import FakeProvider
from tests.fakes.stage import abilities
from tests.fakes.turn import FakeMeter, Recording


@dataclass
class Play:
    """A runner for one stage at a time, with its recording."""

    recording: Recording
    runner: Any
    meter: FakeMeter

    @classmethod
    def of(cls, client: ChatClient, *, ahead: bool = False, **more: Any) -> Play:
        from callsheet.crew.runner import CrewRunner  # only once CrewAI is loaded

        recording = Recording("execution")
        return cls(
            recording, CrewRunner(abilities(client, **more), ahead=ahead), FakeMeter(recording)
        )

    async def run(self, work: StageWork) -> StageResult:
        result: StageResult = await self.runner.run(work, self.recording, self.meter)
        return result

    async def restocked(self) -> None:
        """Return once a spare crew waits on stage."""
        async with asyncio.timeout(5):
            while not any(task.get_name().startswith("crew:") for task in asyncio.all_tasks()):
                await asyncio.sleep(0.005)


@asynccontextmanager
async def real_client() -> AsyncIterator[OpenAiChatClient]:
    transport = AiohttpTransport()
    try:
        yield OpenAiChatClient(transport, SystemClock())
    finally:
        await transport.aclose()


def models_at(provider: FakeProvider, **facts: Any) -> OneModel:
    return OneModel(base_url=provider.base_url, **facts)
