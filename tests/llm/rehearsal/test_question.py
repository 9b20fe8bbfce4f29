"""Questions that the rehearsal answers with a tool, looked for in bounded time."""

from __future__ import annotations

import time

import pytest

from callsheet.llm.rehearsal.prompt import Prompt
from callsheet.llm.rehearsal.question import arithmetic_in, tool_need
from callsheet.tools.builtin.ask_user import AskUserArgs
from callsheet.tools.builtin.send_mail import SendMailArgs


@pytest.mark.parametrize("piece", ["(", "1", "\n", "1" + " " * 100, "1+", "(1) "])
def test_no_message_holds_up_the_server(piece: str) -> None:
    began = time.process_time()
    text = piece * (32_000 // len(piece))
    arithmetic_in(text)
    tool_need(prompt(text))
    assert time.process_time() - began < 1


def test_a_sum_is_found_at_the_head_of_a_long_message() -> None:
    assert arithmetic_in("What is 17*23? " + "word " * 6_000) == "17*23"


def prompt(text: str) -> Prompt:
    language = "zh" if any(ord(letter) > 0x3000 for letter in text) else "en"
    return Prompt(question=text, language=language)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "tool"),
    [
        ("Send a mail to ann@b.example, please.", "send_mail"),
        ("给 ann@b.example 发送一封邮件", "send_mail"),
        ("Who is ann@b.example?", None),
        ("Ask me something.", "ask_user"),
        ("问我一个问题", "ask_user"),
        ("What is 17*23?", "calculator"),
        ("What time is it?", "current_time"),
        ("Hello", None),
    ],
)
def test_the_words_choose_the_tool(text: str, tool: str | None) -> None:
    need = tool_need(prompt(text))
    assert (need and need.name) == tool


def test_a_tool_of_the_client_is_called_where_it_is_named() -> None:
    offered = Prompt(question="Use pick_file.", language="en", tools=frozenset({"pick_file"}))
    need = tool_need(offered)
    assert need is not None
    assert (need.name, need.arguments) == ("pick_file", {})
    assert tool_need(prompt("Use pick_file.")) is None


def test_what_is_asked_for_fits_the_tools() -> None:
    mail = tool_need(prompt("Send a mail to ann@b.example"))
    question = tool_need(prompt("Ask me something"))
    assert mail is not None
    assert question is not None
    assert SendMailArgs.model_validate(mail.arguments).to == ["ann@b.example"]
    assert len(AskUserArgs.model_validate(question.arguments).questions) == 1
