"""Each model is reached by its own client."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence

from callsheet.kit.deadline import Deadline
from callsheet.llm.chat import ChatPart, ChatRequest, TextPart
from callsheet.llm.rehearsal.model import REHEARSAL
from callsheet.llm.router import ChatRouter
from tests.llm.calling import a_model, a_request, hear


class Named:
    """A client that says its name."""

    def __init__(self, name: str) -> None:
        self._name = name

    async def stream(
        self, request: ChatRequest, deadline: Deadline
    ) -> AsyncGenerator[Sequence[ChatPart], None]:
        yield [TextPart(self._name)]


async def test_by_model() -> None:
    router = ChatRouter(Named("network"), Named("rehearsal"), Named("litellm"))
    models = [a_model(), REHEARSAL, a_model(litellm_provider="anthropic")]

    said = [(await hear(router, a_request(model))).text for model in models]

    assert said == ["network", "rehearsal", "litellm"]
