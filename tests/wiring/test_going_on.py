"""A run that goes on from another knows all that one has done, also at the last moment."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection
from dataclasses import replace
from pathlib import Path
from uuid import UUID

from callsheet.admission.admitted import AdmissionRequest, Ticket
from callsheet.admission.going_on import BROKEN_OFF, GoingOn, nothing_more
from callsheet.agui.run_input import ContinuationInput
from callsheet.db.transaction import Database, Tx
from callsheet.events.run import RunFinished
from callsheet.kit.ids import new_id
from callsheet.runs.run import RunStatus
from callsheet.wiring.continuations import ContinuationService
from callsheet.wiring.core import Core
from tests.fakes.chat import HeldChat
from tests.fakes.chat_script import INTENT
from tests.ledger.bookings import assert_sound
from tests.wiring.stage import (
    USER,
    all_of,
    answering,
    application,
    begin,
    hanging,
    said_to,
    settings_of,
    until_text,
)


class Late(GoingOn):
    """Lets in only after something else has happened."""

    def __init__(self, core: Core, first: Callable[[], Awaitable[None]]) -> None:
        super().__init__(core.database, core.gate)
        self._first = first

    async def admit(
        self,
        request: AdmissionRequest,
        continues: UUID,
        statuses: Collection[RunStatus] = BROKEN_OFF,
        also: Callable[[Tx], Awaitable[None]] = nothing_more,
    ) -> Ticket:
        await self._first()
        return await super().admit(request, continues, statuses, also)


async def test_what_a_run_did_while_it_was_asked_to_be_gone_on_from_is_not_done_again(
    tmp_path: Path, database: Database, database_url: str
) -> None:
    chat = HeldChat(choose=hanging)
    async with application(settings_of(tmp_path, database_url), chat) as app:
        await app.ready()
        run = await begin(app, "Take your time")

        async def break_off() -> None:
            chat.go.set()
            await until_text(run.entries, "Half the ")
            await app.runs.cancel(USER, run.run_id)
            chat.choose = answering

        late = replace(app.core(), going_on=Late(app.core(), break_off))
        own = new_id()
        _, again = await ContinuationService(lambda: late, app.workflows).start(
            USER, run.run_id, ContinuationInput("1.0", own, str(own)), "trace-2"
        )
        assert isinstance((await all_of(again.entries))[-1].event, RunFinished)
    assert sum(INTENT in said_to(request) for request in chat.requests) == 1
    await assert_sound(database)
