"""Stores runs that are let in."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from callsheet.admission.admitted import AdmissionRequest
from callsheet.admission.options import AdmissionOptions
from callsheet.admission.queueing import refuse_if_many_wait
from callsheet.db.transaction import Tx
from callsheet.jobs.protocol import Queue
from callsheet.kit.errors import NotFound
from callsheet.kit.json import encode
from callsheet.runs.new_run import NewRun
from callsheet.runs.store import add_run, find_run
from callsheet.sessions.store import await_run

NO_RUN: Final = "There is no such run in this session."


class AddedRuns:
    """For this process, for any worker, or for the time when their session is free."""

    def __init__(self, queue: Queue, options: AdmissionOptions) -> None:
        self._queue = queue
        self._options = options

    async def add(
        self,
        tx: Tx,
        request: AdmissionRequest,
        message_id: UUID | None,
        continues: UUID | None = None,
    ) -> None:
        """Store the run, which answers that message; the session's lock is held.

        One that has to wait is put into the queue in the same transaction. One that waits for its
        session has its message with it, which is said when the session is free, and how long it may
        wait for a worker from then on.
        """
        beside = dict(request.input)
        if request.behind:
            beside["said"] = {
                "id": request.message_id,
                "content": request.text,
                "currency": self._options.currency,
                "metadata": request.message_metadata,
                "waiting_s": self._options.waiting_s,
            }
        if request.waits:
            await refuse_if_many_wait(tx, self._options.waiting_runs)
        run = NewRun(
            id=request.run_id,
            session_id=request.session_id,
            user_id=request.user_id,
            workflow=request.workflow,
            raw_run_id=request.raw_run_id,
            raw_thread_id=request.raw_thread_id,
            parent_run_id=await _parent(tx, request),
            user_message_id=message_id,
            protocol=request.protocol,
            worker_id=None if request.waits else self._options.worker_id,
            trace_id=request.trace_id,
            input=beside,
            continues_run_id=continues,
            priority=request.priority,
            waiting_s=self._options.waiting_s if request.waits and not request.behind else None,
            behind=request.behind,
        )
        if not await add_run(tx, run, encode(beside).decode()):
            raise NotFound(NO_RUN)
        if request.behind:
            return  # it is put into the queue when its session is free
        if request.waits:
            await self._queue.submit(tx, run.id, run.priority)
        await await_run(tx, request.session_id)


async def _parent(tx: Tx, request: AdmissionRequest) -> UUID | None:
    """The run that this one goes on from, where it is the user's own; else none."""
    if request.parent_run_id is None:
        return None
    run = await find_run(tx, request.parent_run_id, request.user_id)
    return None if run is None else run.id
