"""The events of a short answer."""

from __future__ import annotations

from callsheet.llm.chat import Timeouts
from tests.fakes.byte_server import event

FIRST = event(
    '{"id":"a1","model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"Hel"}}]}'
)
SECOND = event('{"id":"a1","model":"m","choices":[{"index":0,"delta":{"content":"lo"}}]}')
STOP = event('{"id":"a1","model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}')
DONE = event("[DONE]")
SHORT = Timeouts(connect_s=0.2, first_byte_s=0.2, gap_s=0.2)
