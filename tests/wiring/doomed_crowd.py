"""A process with sixteen turns under way at every moment: it is to be killed.

python -m tests.wiring.doomed_crowd FOLDER DATABASE_URL
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from callsheet.llm.chat import ChatRequest
from callsheet.wiring.application import Application
from tests.fakes.chat import Script, ScriptedChat, Wait, text
from tests.fakes.chat_script import INTENT, judged
from tests.wiring.stage import all_of, application, begin, said_to, settings_of

AT_ONCE = 16


def wordy(request: ChatRequest) -> Script:
    """Judge; then twenty words, each after a moment."""
    if INTENT in said_to(request):
        return text(judged())
    *words, end = text(*["word "] * 20)
    return [*(step for word in words for step in (word, Wait(0.02))), end]


async def turns(app: Application) -> None:
    while True:
        run = await begin(app, "And again")
        await all_of(run.entries)


async def main(folder: Path, database_url: str) -> None:
    async with application(settings_of(folder, database_url), ScriptedChat(choose=wordy)) as app:
        await app.ready()
        async with asyncio.TaskGroup() as group:
            for _ in range(AT_ONCE):
                group.create_task(turns(app))


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2]))
