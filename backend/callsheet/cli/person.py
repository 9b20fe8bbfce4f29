"""Whoever sits at the terminal, asked about one call."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from callsheet.cli.answers import yes_or_no
from callsheet.cli.console import ERR, note
from callsheet.cli.interrupts import Interrupts
from callsheet.cli.line_reader import LineReader
from callsheet.kit.json import encode
from callsheet.tools.pause import Ask


class Person:
    """Nobody is there where standard input is no terminal; Ctrl-C at a question is no answer."""

    def __init__(self, interrupts: Interrupts) -> None:
        self._interrupts = interrupts
        self._reader = LineReader() if sys.stdin.isatty() else None

    async def allows(self, ask: Ask, effect: str | None) -> bool:
        """Whether they allow the call; `effect` is what it changes."""
        note(f"{ask.message} {encode(ask.detail.get('arguments', {})).decode()}")
        if effect is not None:
            note(effect)
        said = None
        while said is None:
            line = await self._read("Allow it? (yes / no) ")
            if line is None:
                return False
            said = yes_or_no(line)
        return said

    async def answers(self, ask: Ask) -> Mapping[str, Any] | None:
        """An answer to each question of `ask_user`; None where there is none, or none is asked."""
        questions = [str(each["question"]) for each in ask.detail.get("questions", ())]
        if not questions:
            note(ask.message)
            return None
        said: list[str] = []
        for question in questions:
            line = await self._read(f"{question} ")
            if line is None:
                return None
            said.append(line.strip())
        return {"answers": said}

    async def _read(self, question: str) -> str | None:
        if self._reader is None:
            note(question)
            return None
        ERR.print(question, end="", soft_wrap=True, markup=False)
        with self._interrupts.call(self._reader.stop):
            return await self._reader.read()
