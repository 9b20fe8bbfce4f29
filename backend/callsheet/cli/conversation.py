"""Turns in the terminal, one after another, in this process."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import dataclass, replace
from typing import Final
from uuid import UUID

import msgspec

from callsheet.agui.run_input import RunInput
from callsheet.auth.principal import Principal
from callsheet.cli.answers import answers_in
from callsheet.cli.console import ERR, note
from callsheet.cli.interrupts import Interrupts
from callsheet.cli.line_reader import LineReader
from callsheet.cli.turn_printer import TurnPrinter
from callsheet.events.entry import Entry
from callsheet.kit.ids import new_id
from callsheet.kit.pages import PageRequest
from callsheet.kit.text import sanitize
from callsheet.runs.started import StartedRun
from callsheet.wiring.application import Application
from callsheet.wiring.interrupts import InterruptService

_JSON: Final = msgspec.json.Encoder()


@dataclass(frozen=True, slots=True)
class Conversation:
    """Turns of one session. `as_json`: every journal entry as a line, instead of text."""

    application: Application
    interrupts: Interrupts
    principal: Principal
    session_id: UUID
    session_name: str
    workflow: str | None
    as_json: bool

    async def turn(self, text: str) -> TurnPrinter:
        """Run one turn to its end, printing it. Ctrl-C stops the run, which then ends cleanly.

        Where the session's run waits for an answer, and the text can be one, it is.
        """
        request = self._input(text)
        waiting = InterruptService(self.application.core)
        asked = await waiting.open(self.principal, self.session_id, PageRequest())
        given = answers_in(text, asked.items)
        if given is not None:
            request = replace(request, text="", given=given, is_said_last=False)
        started = await self.application.chat.start(
            self.principal, self.workflow, request, new_id().hex
        )
        interrupted = asyncio.Event()
        with self.interrupts.call(interrupted.set):
            async with asyncio.TaskGroup() as group:
                stopper = group.create_task(self._stop(started.run_id, interrupted))
                printer = await self._print(started)
                stopper.cancel()
        return printer

    async def loop(self) -> None:
        """Ask and answer until the input ends, or Ctrl-C at the prompt."""
        reader = LineReader()
        note("Ctrl-C stops an answer; Ctrl-D, or Ctrl-C at the prompt, ends.")
        while True:
            ERR.print("> ", end="")
            with self.interrupts.call(reader.stop):
                line = await reader.read()
            if line is None:
                ERR.print()
                return
            if line.strip():
                await self.turn(line)

    async def _print(self, started: StartedRun) -> TurnPrinter:
        printer = TurnPrinter(answer=sys.stdout, about=ERR, quiet=self.as_json)
        async for entries in started.entries:
            for entry in entries:
                if self.as_json:
                    _write_json(entry)
                printer.show(entry)
        return printer

    async def _stop(self, run_id: UUID, interrupted: asyncio.Event) -> None:
        await interrupted.wait()
        await self.application.runs.cancel(self.principal, run_id)

    def _input(self, text: str) -> RunInput:
        run_id, message_id = new_id(), new_id()
        clean, changed = sanitize(text)
        return RunInput(
            protocol="1.0",
            session_id=self.session_id,
            raw_thread_id=self.session_name,
            run_id=run_id,
            raw_run_id=str(run_id),
            message_id=message_id,
            raw_message_id=str(message_id),
            text=clean,
            sanitized=changed,
        )


def _write_json(entry: Entry) -> None:
    sys.stdout.write(_JSON.encode(entry).decode() + "\n")
    sys.stdout.flush()
