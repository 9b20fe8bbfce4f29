"""A message that a client asks anew: as it was, or edited."""

from __future__ import annotations

from typing import Any

from tests.fakes.agui_client import AgUiClient
from tests.fakes.books import Books
from tests.fakes.chat_script import EXECUTION
from tests.fakes.provider.server import FakeProvider


def said(message_id: str, text: str) -> dict[str, Any]:
    return {"messages": [{"id": message_id, "role": "user", "content": text}]}


async def test_an_edited_message_takes_back_what_came_after_it(
    agui: AgUiClient, provider: FakeProvider, books: Books
) -> None:
    first = await agui.ask("", **said("m1", "My name is Ada."))
    thread = {"thread_id": first.thread_id}
    await agui.ask("", **said("m2", "What is the weather?"), **thread)
    edited = await agui.ask("", **said("m1", "My name is Grace."), **thread)
    assert edited.breaches == []
    await agui.ask("", **said("m3", "What is my name?"), **thread)

    asked = [body for body in provider.bodies if EXECUTION in str(body["messages"][0]["content"])]
    history = [message["content"] for message in asked[-1]["messages"][1:-1]]
    assert history == ["My name is Grace.", "Here is your answer."]
    messages = await books.messages(first.headers["x-session-id"])
    assert [m["content"] for m in messages if m["role"] == "user"] == [
        "My name is Grace.",
        "What is the weather?",
        "What is my name?",
    ]
    assert await books.audit() == {}
