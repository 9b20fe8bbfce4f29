"""All that a run needs to be worked on, from the database: for whoever did not let it in."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from callsheet.agui.client_tools import client_tools
from callsheet.agui.context import context_text
from callsheet.kit.errors import BadInput, ConfigError, NotFound, TurnFailed
from callsheet.kit.log import get_log
from callsheet.runs.turn_store import asked_turn
from callsheet.sessions.settings import SessionSettings
from callsheet.tools.client_tool import ClientTool
from callsheet.turn.request import TurnRequest
from callsheet.wiring.core import Core
from callsheet.workflows.live import LiveWorkflows
from callsheet.workflows.store import files_of
from callsheet.workflows.workflow import Workflow

log = get_log(__name__)


@dataclass(frozen=True, slots=True)
class StoredTurn:
    """A run as it was let in; `revision` is None where it begins, and none is given yet."""

    turn: TurnRequest
    workflow_name: str
    revision: str | None
    lease_epoch: int


async def load_turn(core: Core, run_id: UUID) -> StoredTurn:
    """The run of that id, whoever's it is; NotFound where there is none with a message."""
    async with core.database.read() as tx:
        asked = await asked_turn(tx, run_id)
    if asked is None:
        raise NotFound("There is no such run.")
    turn = TurnRequest(
        run_id=asked.run_id,
        session_id=asked.session_id,
        user_id=asked.user_id,
        workflow=asked.workflow,
        message_id=asked.message_id,
        message_text=asked.message_text,
        trace_id=asked.trace_id,
        parent_run_id=asked.parent_run_id,
        is_first=asked.is_first,
        session_tokens=asked.session_tokens,
        session_cost=asked.session_cost,
        currency=core.currency,
        on_disconnect=asked.on_disconnect,
        settings=SessionSettings(asked.mode, asked.persona, asked.budget),
        client_tools=_tools(asked.client_tools),
        context=context_text(asked.context),
    )
    return StoredTurn(turn, asked.workflow, asked.revision, asked.lease_epoch)


def _tools(given: list[dict[str, Any]]) -> tuple[ClientTool, ...]:
    """Of a workflow that does not take them they were not looked at."""
    try:
        return client_tools(given, ())
    except BadInput:
        return ()


async def load_workflow(
    core: Core, workflows: LiveWorkflows, name: str, revision: str | None
) -> Workflow:
    """The workflow in that revision; none: in the one that is active now.

    Of a run that ended before it began the journal knows none either.

    Raises:
        TurnFailed: `revision_gone`, where it was not kept or cannot be built any more.
    """
    if name not in workflows or not revision:
        await workflows.refresh()
    if not revision or (name in workflows and workflows.get(name).revision == revision):
        try:
            return workflows.get(name)
        except NotFound as error:
            raise _gone(name) from error
    async with core.database.read() as tx:
        files = await files_of(tx, name, revision)
    if files is None:
        raise _gone(name)
    try:
        return await asyncio.to_thread(workflows.rebuilt, name, revision, files)
    except ConfigError as error:
        log.warning("revision_gone", workflow=name, revision=revision, problems=str(error))
        raise _gone(name) from error


def _gone(name: str) -> TurnFailed:
    return TurnFailed(
        f"The workflow {name!r} is not there any more as it was when the run was begun.",
        code="revision_gone",
    )
