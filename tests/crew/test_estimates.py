"""Where a provider's last word on usage is missing, what is booked is near what it bills.

The scripted provider speaks in real tokens: each piece of its answer is one of DeepSeek's
vocabulary, and so is each of the question.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from decimal import Decimal
from pathlib import Path
from typing import Final, Literal

import pytest

from callsheet.crew.attempt import Attempt
from callsheet.crew.bridge import AnswerBridge
from callsheet.crew.frame import Frame
from callsheet.events.call import LlmCallFinished
from callsheet.events.text import TextDelta
from callsheet.events.usage import MeteredUsage, Usage
from callsheet.kit.clock import SystemClock
from callsheet.kit.deadline import Deadline
from callsheet.kit.ids import new_id
from callsheet.ledger.price.cost import cost_of
from callsheet.llm.errors import ProviderError
from callsheet.llm.openai_compat.aiohttp import AiohttpTransport
from callsheet.llm.openai_compat.client import OpenAiChatClient
from callsheet.llm.tokens import estimate_messages
from callsheet.turn.meter import CallIntent
from tests.fakes.provider.scenario import Fault, Scenario
from tests.fakes.provider.server import FakeProvider
from tests.fakes.stage import agent
from tests.fakes.turn import FakeMeter, Recording
from tests.ledger.prices import price
from tests.llm.calling import a_model, a_request

_FILE: Final = Path(__file__).parents[1] / "llm" / "cases" / "token_pieces.json"
TEXTS: Final[dict[str, list[str]]] = json.loads(_FILE.read_text("utf-8"))["texts"]
TEMPLATE_TOKENS: Final = 4
"""What a provider's chat template puts around a message: its role, its begin and its end."""
NEAR: Final = Decimal("0.15")

each_text = pytest.mark.parametrize("text", TEXTS)


@pytest.fixture
async def client() -> AsyncIterator[OpenAiChatClient]:
    transport = AiohttpTransport()
    yield OpenAiChatClient(transport, SystemClock())
    await transport.aclose()


class Ask:
    """One question in a language, answered in it."""

    def __init__(self, client: OpenAiChatClient, provider: FakeProvider, text: str) -> None:
        self._client = client
        self._provider = provider
        self.pieces = TEXTS[text]
        self.recording = Recording()

    def play(self, fault: Fault = "none", usage: Literal["asked", "never"] = "asked") -> None:
        self._provider.scenario = Scenario(
            pieces=tuple(self.pieces),
            prompt_tokens=len(self.pieces) + TEMPLATE_TOKENS,
            cached_tokens=0,
            fault=fault,
            fault_at=len(self.pieces) * 3 // 5,
            usage=usage,
        )

    async def run(self) -> None:
        frame = Frame(
            agent_run_id="a1", path="s#1/t", stage="s", agent=agent(), task="t", visible=True
        )
        request = a_request(a_model(self._provider.base_url), "".join(self.pieces))
        estimated = estimate_messages(request.messages, request.tools)
        intent = CallIntent(
            message_id="m1",
            agent_run_id="a1",
            stage="s",
            agent="w",
            task="t",
            factory=request.model.factory,
            model=request.model.model_code,
            attempt=1,
            visible=True,
            estimated_input_tokens=estimated,
            max_output_tokens=1_000,
        )
        call = await FakeMeter(self.recording).open(intent)
        bridge = AnswerBridge(frame, str(new_id()), self.recording)
        attempt = Attempt(call, bridge, request.model, estimated, SystemClock())
        await attempt.run(self._client.stream(request, Deadline.after(10)))

    async def heard(self, pieces: int) -> None:
        """Return once that much of the answer has become events."""
        text = "".join(self.pieces[:pieces])
        while "".join(event.text for event in self.recording.of(TextDelta)) != text:
            await asyncio.sleep(0)

    def booked(self) -> MeteredUsage:
        (call,) = self.recording.of(LlmCallFinished)
        return call.metered

    def check(self) -> None:
        """The estimate is near the bill in both counts and in money."""
        billed, counted = self._provider.stats.billed, self.booked()
        truth = Usage(input_tokens=billed.prompt, output_tokens=billed.completion)
        assert counted.source == "estimated"
        assert counted.method is not None
        assert_near(counted.usage.input_tokens, truth.input_tokens)
        assert_near(counted.usage.output_tokens, truth.output_tokens)
        row = price()
        assert_near(cost_of(counted.usage, row), cost_of(truth, row))


def assert_near(counted: Decimal | int, truth: Decimal | int) -> None:
    exact = Decimal(truth)
    assert exact > 0
    assert abs(Decimal(counted) - exact) <= exact * NEAR, (counted, truth)


@each_text
async def test_an_aborted_call(client: OpenAiChatClient, provider: FakeProvider, text: str) -> None:
    ask = Ask(client, provider, text)
    ask.play(fault="stall")
    running = asyncio.ensure_future(ask.run())
    await ask.heard(len(ask.pieces) * 3 // 5)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    await provider.until(lambda seen: bool(seen.disconnected))

    ask.check()


@each_text
@pytest.mark.parametrize("fault", ["drop", "short", "malformed", "error_chunk"])
async def test_a_failed_or_cut_call(
    client: OpenAiChatClient, provider: FakeProvider, text: str, fault: Fault
) -> None:
    ask = Ask(client, provider, text)
    ask.play(fault=fault)
    with pytest.raises(ProviderError):
        await ask.run()
    await provider.until(lambda seen: seen.billed.completion > 0)

    ask.check()


@each_text
async def test_a_whole_answer_without_usage(
    client: OpenAiChatClient, provider: FakeProvider, text: str
) -> None:
    ask = Ask(client, provider, text)
    ask.play(usage="never")
    await ask.run()

    ask.check()
