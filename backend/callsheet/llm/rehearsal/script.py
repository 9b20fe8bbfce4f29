"""What the rehearsal answers. The same request always gets the same answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from callsheet.kit.json import decode, encode
from callsheet.llm.key import key_variable
from callsheet.llm.rehearsal.form import fill
from callsheet.llm.rehearsal.need import ToolNeed
from callsheet.llm.rehearsal.plan import call_after
from callsheet.llm.rehearsal.prompt import Language, Prompt
from callsheet.llm.rehearsal.question import tool_need

_VARIABLE: Final = key_variable("factory").replace("FACTORY", "<FACTORY>")
_EXAMPLE: Final = key_variable("qwen")
_MARK: Final = {"en": "this is a rehearsal", "zh": "这是排练"}
_HOW: Final = {
    "en": f"Set {_VARIABLE} (for instance {_EXAMPLE}) and start again, or run `make local-model` "
    "for a small real model on this machine.",
    "zh": f"设置 {_VARIABLE}（例如 {_EXAMPLE}）后重新启动，"
    "或运行 `make local-model` 在本机使用一个真实的小模型。",
}
_HELLO: Final = {
    "en": f"Hello! You reached Callsheet, and {_MARK['en']}: no real model is connected, so this "
    "answer is scripted. It went through the same stages, stream and ledger as a real one. Ask me "
    "for a sum or for the time to see a tool at work, to ask you something, or to mail to an "
    "address (you have to allow it first); to search for something, to open a page, to run a block "
    "of Python or to keep a to-do list, where these tools are there. ",
    "zh": f"你好！这里是 Callsheet，{_MARK['zh']}：还没有连接真实的模型，所以这个回答是预先写好的，"
    "但它经过了与真实回答相同的阶段、流和账本。可以让我算一道算式或问现在几点，看看工具如何工作；也可以让我问你一个问题，"
    "或给某个地址发邮件（需要你先批准）；有相应工具时，"
    "还可以搜索、打开网页、运行一段 Python 或维护待办清单。",
}
_NOTE: Final = {
    "en": f"\n\n({_MARK['en'].capitalize()}: no real model is connected. {_HOW['en']})",
    "zh": f"\n\n（{_MARK['zh']}：还没有连接真实的模型。{_HOW['zh']}）",
}
_IS: Final = {"en": "{about} = {result}", "zh": "{about} = {result}"}
_NOW: Final = {
    "en": "It is {time} ({weekday}, {timezone}).",
    "zh": "现在是 {time}（{weekday}，{timezone}）。",
}
_HEARD: Final = {"en": "You said: {answers}.", "zh": "你的回答：{answers}。"}
_REPEATED_CHARS: Final = 1_000
_SAID: Final = {"en": "The tool says: {result}", "zh": "工具的结果：{result}"}


@dataclass(frozen=True, slots=True)
class Say:
    """A text."""

    text: str


@dataclass(frozen=True, slots=True)
class Call:
    """A call of an offered tool."""

    need: ToolNeed

    @property
    def arguments(self) -> str:
        """As JSON text."""
        return encode(self.need.arguments).decode()


def answer_to(prompt: Prompt) -> Say | Call:
    """The next word of the script."""
    if prompt.schema is not None:
        return Say(encode(fill(prompt.schema, prompt)).decode())
    need = tool_need(prompt)
    if prompt.tool_results:
        again = call_after(prompt, need)
        if again is not None:
            return Call(again)
        return Say(_from_result(prompt.tool_results[-1], need, prompt.language))
    written = next((text for text in prompt.given if _is_ours(text)), None)
    if written is not None:
        return Say(written)
    if need is not None and need.name in prompt.tools:
        return Call(need)
    return Say(_HELLO[prompt.language] + _HOW[prompt.language])


def _is_ours(text: str) -> bool:
    """A text that an earlier stage of the rehearsal wrote."""
    return any(mark in text.lower() for mark in _MARK.values())


def _from_result(result: str, need: ToolNeed | None, language: Language) -> str:
    return _sentence(result.strip(), need, language) + _NOTE[language]


def _sentence(result: str, need: ToolNeed | None, language: Language) -> str:
    if need is not None and need.name == "calculator" and _is_number(result):
        return _IS[language].format(about=need.about, result=result)
    try:
        value = decode(result)
    except ValueError:
        value = None
    if isinstance(value, dict) and {"time", "weekday", "timezone"} <= value.keys():
        return _NOW[language].format_map(value)
    if isinstance(value, dict) and isinstance(value.get("answers"), list):
        return _HEARD[language].format(answers=", ".join(map(str, value["answers"])))
    return _SAID[language].format(result=shortened(result))


def shortened(text: str) -> str:
    """What is worth repeating word by word: a result may be a long page."""
    return text if len(text) <= _REPEATED_CHARS else f"{text[:_REPEATED_CHARS]} ..."


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
