"""The journal of one run, without its writer."""

from __future__ import annotations

import asyncio

import pytest

from callsheet.events.stage import StageStarted
from callsheet.journal.changes import RunKeys
from callsheet.journal.run_log import JournaledRun
from callsheet.kit.clock import SystemClock
from callsheet.kit.errors import Unavailable
from callsheet.kit.ids import new_id


def run_log() -> JournaledRun:
    keys = RunKeys(new_id(), new_id(), new_id())
    return JournaledRun(keys, SystemClock(), lambda _run, _urgent: None)


async def test_what_waits_behind_lost_events_is_dropped_so_that_there_is_no_gap() -> None:
    log = run_log()
    log.append(StageStarted(stage="lost"))
    assert len(log.take()) == 1
    log.append(StageStarted(stage="behind"))
    waiting = asyncio.create_task(log.stored())
    await asyncio.sleep(0)
    log.fail(Unavailable("gone"))
    assert log.take() == []
    log.confirm([])
    with pytest.raises(Unavailable):
        await waiting
    with pytest.raises(Unavailable):
        log.append(StageStarted(stage="later"))
