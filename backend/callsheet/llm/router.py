"""Sends each request to the client that reaches its model."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence

from callsheet.kit.deadline import Deadline
from callsheet.llm.chat import ChatPart, ChatRequest
from callsheet.llm.model import Model
from callsheet.llm.protocol import ChatClient


class ChatRouter:
    """See `ChatClient`.

    The rehearsal is reached in-process, a model with a `litellm_provider` by way of LiteLLM,
    every other one over the network.
    """

    def __init__(self, network: ChatClient, rehearsal: ChatClient, litellm: ChatClient) -> None:
        self._network = network
        self._rehearsal = rehearsal
        self._litellm = litellm

    def stream(
        self, request: ChatRequest, deadline: Deadline
    ) -> AsyncGenerator[Sequence[ChatPart], None]:
        """See `ChatClient.stream`."""
        return self._client_for(request.model).stream(request, deadline)

    def _client_for(self, model: Model) -> ChatClient:
        if model.is_rehearsal:
            return self._rehearsal
        return self._litellm if model.litellm_provider else self._network
