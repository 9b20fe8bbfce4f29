"""Goes on from a run that broke off: the use case behind `POST /v1/runs/{id}/continue`."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from callsheet.admission.admitted import AdmissionRequest
from callsheet.agui.run_input import ContinuationInput
from callsheet.auth.principal import Principal
from callsheet.kit.errors import NotFound
from callsheet.runs.chain_store import tools_brought
from callsheet.runs.run import RunRecord
from callsheet.runs.started import StartedRun
from callsheet.runs.store import find_run
from callsheet.wiring.core import Core
from callsheet.wiring.going_on import Wish, go_on
from callsheet.workflows.live import LiveWorkflows


class ContinuationService:
    """Implements `api.ports.Continuations`."""

    def __init__(self, core: Callable[[], Core], workflows: LiveWorkflows) -> None:
        self._core = core
        self._workflows = workflows

    async def start(
        self, principal: Principal, run_id: UUID, asked: ContinuationInput, trace_id: str
    ) -> tuple[RunRecord, StartedRun]:
        """The run that is gone on from, and the new one; see `go_on` for what is raised."""
        core = self._core()
        async with core.database.read() as tx:
            before = await find_run(tx, run_id, principal.user_id)
            if before is None or before.user_message_id is None:
                raise NotFound("There is no such run.")
            tools = await tools_brought(tx, run_id)
        beside = {"state": asked.state, "parentRunId": before.raw_run_id, "tools": tools}
        request = AdmissionRequest(
            user_id=principal.user_id,
            session_id=before.session_id,
            raw_thread_id=before.raw_thread_id,
            run_id=asked.run_id,
            raw_run_id=asked.raw_run_id,
            message_id=before.user_message_id,
            text="",
            workflow=before.workflow,
            protocol=asked.protocol,
            trace_id=trace_id,
            parent_run_id=before.id,
            input={key: value for key, value in beside.items() if value},
        )
        return before, await go_on(core, self._workflows, Wish(before, request))
