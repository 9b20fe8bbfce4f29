"""Questions that the rehearsal answers with a tool, looked for in bounded time."""

from __future__ import annotations

import time

import pytest

from callsheet.llm.rehearsal.prompt import Language, Prompt
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


ALL = frozenset(
    {
        "calculator",
        "manage_todo_list",
        "python_executor",
        "request_plan_approval",
        "web_fetch",
        "web_search",
    }
)


@pytest.mark.parametrize(
    ("text", "tool", "arguments"),
    [
        ("Run this:\n```python\nprint(1)\n```", "python_executor", {"code": "print(1)\n"}),
        ("What does https://a.example/x?y=1 say?", "web_fetch", {"url": "https://a.example/x?y=1"}),
        ("看看 https://a.example/页。", "web_fetch", {"url": "https://a.example/页"}),
        ("Search for blue whales.", "web_search", {"query": "blue whales"}),
        ("搜索蓝鲸", "web_search", {"query": "蓝鲸"}),
        ('web_fetch {"url": "http://127.0.0.1/"}', "web_fetch", {"url": "http://127.0.0.1/"}),
        ('Use calculator {"expression": "{"}!', "calculator", {"expression": "{"}),
        ("Use calculator {oops}", None, None),
    ],
)
def test_work_goes_to_its_tool(text: str, tool: str | None, arguments: object) -> None:
    need = tool_need(Prompt(question=text, language="en", tools=ALL))
    assert (need and need.name, need and need.arguments) == (tool, arguments)
    if tool != "calculator":
        assert tool_need(Prompt(question=text, language="en")) is None


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_list_begins_with_its_first_step_running(language: Language) -> None:
    need = tool_need(Prompt(question="Keep a to-do list.", language=language, tools=ALL))
    assert need is not None
    states = [item["status"] for item in need.arguments["items"]]
    assert (need.name, states) == ("manage_todo_list", ["running", "pending", "pending"])
    plan = tool_need(Prompt(question="Make me a plan.", language=language, tools=ALL))
    assert plan is not None
    assert plan.name == "request_plan_approval"
