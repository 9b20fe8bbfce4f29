"""What can be swapped: the way a chat request reaches a model."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from typing import Protocol

from callsheet.kit.deadline import Deadline
from callsheet.llm.chat import ChatPart, ChatRequest


class ChatClient(Protocol):
    """Sends one request, once. No retries here: each attempt is a ledger row of its own."""

    def stream(
        self, request: ChatRequest, deadline: Deadline
    ) -> AsyncGenerator[Sequence[ChatPart], None]:
        """The answer as it arrives: all parts of one network read together, in order.

        Ends normally only after the provider's end mark. Closing the generator (or cancelling
        the task) closes the provider's connection at once.

        Raises:
            ProviderError: anything that went wrong, told apart by its `code`.
        """
        ...
