"""A process of the product in this one: real wiring and database, a scripted model."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path
from typing import Any
from uuid import UUID

from callsheet.agui.run_input import RunInput
from callsheet.auth.principal import Principal, principal_named
from callsheet.events.entry import Entry
from callsheet.events.text import TextDelta
from callsheet.kit.ids import new_id
from callsheet.llm.chat import ChatRequest
from callsheet.runs.started import StartedRun
from callsheet.runs.worker_locks import WorkerKind
from callsheet.settings.settings import Settings
from callsheet.wiring.adapters import Adapters
from callsheet.wiring.application import Application
from tests.fakes.chat import Script, ScriptedChat, Wait, text
from tests.fakes.chat_script import EXECUTION, INTENT, judged
from tests.fakes.deployment import make_deployment

USER = principal_named("ada")
OTHER = principal_named("eve")
NOWHERE = "http://127.0.0.1:9/v1"


def settings_of(folder: Path, database_url: str, **more: Any) -> Settings:
    """What ships, in `folder`, with keys for its models and their address at nobody's."""
    deployment_folder = folder / "deployment"
    if not deployment_folder.exists():
        make_deployment(deployment_folder, NOWHERE)
    keys = {name: {"api_key": f"key-of-{name}-0123456789"} for name in ("qwen", "deepseek")}
    values: dict[str, Any] = {
        "data_dir": deployment_folder / "data",
        "config_dir": deployment_folder / "config",
        "crews_dir": deployment_folder / "crews",
        "database": {"url": database_url},
        "log": {"level": "warning"},
        "llm": keys,
        **more,
    }
    return Settings(**values)


def said_to(request: ChatRequest) -> str:
    """All that the model is told, as one text."""
    return "\n".join(str(message.get("content")) for message in request.messages)


def answering(request: ChatRequest) -> Script:
    """Judge, do, write."""
    told = said_to(request)
    if INTENT in told:
        return text(judged())
    return text("The work is done.") if EXECUTION in told else text("Here is ", "your answer.")


def hanging(request: ChatRequest) -> Script:
    """Judge; then half of the work, and nothing more."""
    if INTENT in said_to(request):
        return text(judged())
    return [*text("Half the ")[:-1], Wait(600)]


def application(
    settings: Settings,
    chat: ScriptedChat | None = None,
    drain_s: float = 20.0,
    kind: WorkerKind = "serve",
) -> Application:
    client = chat or ScriptedChat(choose=answering)
    return Application(settings, Adapters(chat_client=client, drain_s=drain_s), kind)


def wish(message: str, session_id: UUID | None = None, run_id: UUID | None = None) -> RunInput:
    session, run, said = session_id or new_id(), run_id or new_id(), new_id()
    return RunInput(
        protocol="1.0",
        session_id=session,
        raw_thread_id=str(session),
        run_id=run,
        raw_run_id=str(run),
        message_id=said,
        raw_message_id=str(said),
        text=message,
    )


async def begin(
    app: Application, message: str, session_id: UUID | None = None, user: Principal = USER
) -> StartedRun:
    return await app.chat.start(user, None, wish(message, session_id), "trace-1")


async def all_of(entries: AsyncGenerator[tuple[Entry, ...], None]) -> list[Entry]:
    async with asyncio.timeout(60):
        return [entry async for some in entries for entry in some]


async def until_text(entries: AsyncGenerator[tuple[Entry, ...], None], wanted: str) -> None:
    """Look on until that text has streamed."""
    shown = ""
    async with asyncio.timeout(60):
        async for some in entries:
            for entry in some:
                if isinstance(entry.event, TextDelta):
                    shown += entry.event.text
            if wanted in shown:
                return
    raise AssertionError(f"the run ended without {wanted!r}")


def kinds(entries: Sequence[Entry]) -> list[str]:
    return [type(entry.event).__name__ for entry in entries]
