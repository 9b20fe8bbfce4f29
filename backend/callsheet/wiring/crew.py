"""CrewAI's place in the process: imported in the background, then plugged in as the runner."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path

from callsheet.crew.abilities import Abilities
from callsheet.crew.options import CrewOptions
from callsheet.crew.quiet import load_crewai
from callsheet.turn.ports import StageRunner
from callsheet.wiring.adapters import Adapters
from callsheet.wiring.llm import Llm
from callsheet.wiring.tools import Tools


def warm_up(
    data_dir: Path, done: Callable[[], None], failed: Callable[[Exception], None]
) -> None:
    """Import CrewAI in a thread that no shutdown waits for; then call back on this loop."""
    loop = asyncio.get_running_loop()

    def tell(call: Callable[[], None]) -> None:
        try:
            loop.call_soon_threadsafe(call)
        except RuntimeError:
            return  # the loop has ended: nobody waits for the news

    def work() -> None:
        try:
            load_crewai(data_dir)
        except Exception as error:  # border: the thread's failure is told, not lost
            failure = error
            tell(lambda: failed(failure))
        else:
            tell(done)

    threading.Thread(target=work, name="crewai-import", daemon=True).start()


def make_runner(llm: Llm, tools: Tools, adapters: Adapters, language: str) -> StageRunner:
    """The crew room's runner; call it only once CrewAI is imported."""
    from callsheet.crew.runner import CrewRunner  # noqa: PLC0415 - imports crewai: seconds

    return CrewRunner(
        Abilities(
            client=adapters.chat_client or llm.client,
            models=llm.models,
            tools=tools.registry,
            invoker=tools.invoker,
            clock=adapters.clock,
            options=CrewOptions(),
        ),
        language,
    )
