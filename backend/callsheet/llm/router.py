"""Sends each request to the client that reaches its model."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence

from callsheet.kit.deadline import Deadline
from callsheet.llm.chat import ChatPart, ChatRequest
from callsheet.llm.protocol import ChatClient


class ChatRouter:
    """See `ChatClient`. The rehearsal is reached in-process, every other model over the network."""

    def __init__(self, network: ChatClient, rehearsal: ChatClient) -> None:
        self._network = network
        self._rehearsal = rehearsal

    def stream(
        self, request: ChatRequest, deadline: Deadline
    ) -> AsyncGenerator[Sequence[ChatPart], None]:
        """See `ChatClient.stream`."""
        client = self._rehearsal if request.model.is_rehearsal else self._network
        return client.stream(request, deadline)
