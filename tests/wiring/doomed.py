"""A process with a run under way that nobody ends: it is to be killed.

    python -m tests.wiring.doomed FOLDER DATABASE_URL SESSION_ID LEASE_S

Prints `run <id>` once half of an answer is stored, and hangs. Where it is frozen instead, and
comes back, it prints that it has stopped working on the run.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from uuid import UUID

from tests.fakes.chat import ScriptedChat
from tests.wiring.stage import application, begin, hanging, settings_of, until_text


async def main(folder: Path, database_url: str, session_id: UUID, lease_s: float) -> None:
    chat = ScriptedChat(choose=hanging)
    settings = settings_of(folder, database_url, worker={"lease_s": lease_s})
    async with application(settings, chat) as app:
        await app.ready()
        run = await begin(app, "Take your time", session_id)
        await until_text(run.entries, "Half the ")
        sys.stdout.write(f"run {run.run_id}\n")
        sys.stdout.flush()
        while app.core().jobs.has(run.run_id):
            await asyncio.sleep(0.01)
        sys.stdout.write(f"stopped, models asked: {chat.open}\n")
        sys.stdout.flush()
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2], UUID(sys.argv[3]), float(sys.argv[4])))
