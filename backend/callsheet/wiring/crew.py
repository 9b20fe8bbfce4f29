"""CrewAI's place in the process: imported in the background, then plugged in as the runner."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path

from callsheet.crew.abilities import Abilities
from callsheet.crew.options import CrewOptions
from callsheet.crew.warmup import warm_up as warm_crewai
from callsheet.kit.heap import keep_what_is_there
from callsheet.settings.settings import LimitSettings
from callsheet.turn.ports import StageRunner


def crew_options(limits: LimitSettings) -> CrewOptions:
    """What crews keep to in this process."""
    return CrewOptions(
        parallel_tools=limits.parallel_tools, failed_rounds=limits.failed_tool_rounds
    )


def import_in_background(
    data_dir: Path,
    abilities: Abilities,
    done: Callable[[StageRunner, Callable[[], None]], None],
    failed: Callable[[Exception], None],
) -> None:
    """Import and try CrewAI in a thread that no shutdown waits for; then call back on this loop."""
    loop = asyncio.get_running_loop()

    def tell(call: Callable[[], None]) -> None:
        try:
            loop.call_soon_threadsafe(call)
        except RuntimeError:
            return  # the loop has ended: nobody waits for the news

    def work() -> None:
        try:
            warm_crewai(data_dir)
            from callsheet.crew.runner import CrewRunner  # noqa: PLC0415 - imports crewai: 6 s

            keep_what_is_there()
        except Exception as error:  # noqa: BLE001 - border: the thread's failure is told, not lost
            failure = error
            tell(lambda: failed(failure))
        else:
            runner = CrewRunner(abilities, ahead=True)
            tell(lambda: done(runner, runner.close))

    threading.Thread(target=work, name="crewai-import", daemon=True).start()
