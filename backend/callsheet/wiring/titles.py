"""Titles that a model writes, on request."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Final
from uuid import UUID

from callsheet.auth.principal import Principal
from callsheet.crew.abilities import Abilities
from callsheet.crew.asker import Asker, Question
from callsheet.crew.title import TITLE, WITHIN_S, title_frame, title_in, title_request
from callsheet.journal.changes import RunKeys
from callsheet.kit.deadline import Deadline
from callsheet.kit.errors import Conflict, NotFound, TurnFailed
from callsheet.kit.ids import new_id
from callsheet.ledger.budget.store import BudgetGuard
from callsheet.sessions.session import SessionRecord
from callsheet.sessions.settings import SessionChange
from callsheet.sessions.settings_store import change_session
from callsheet.sessions.shown import ShownMessage, shown_messages
from callsheet.sessions.store import find_session
from callsheet.turn.ports import CallWatch
from callsheet.turn.run_meter import RunMeter
from callsheet.wiring.core import Core
from callsheet.wiring.lone_log import LoneLog

_MOST_MESSAGES: Final = 12
_MOST_BYTES: Final = 64_000


class TitleService:
    """Has titles of the caller's sessions written; each is a call in the ledger like any other."""

    def __init__(
        self,
        core: Callable[[], Core],
        abilities: Abilities,
        model_code: Callable[[], str],
        budgets: BudgetGuard,
        watch: CallWatch,
    ) -> None:
        self._core = core
        self._abilities = abilities
        self._model_code = model_code
        self._budgets = budgets
        self._watch = watch

    async def write(self, principal: Principal, session_id: UUID) -> SessionRecord:
        """The session with the title that a model gave it.

        Raises:
            NotFound: no such session of this user.
            Conflict: nothing was said in it yet.
            TurnFailed: the model wrote nothing that can be a title.
            Refused: rate, budget or price; Unavailable: the model's provider or the database.
        """
        core = self._core()
        async with core.database.read() as tx:
            session = await find_session(tx, session_id, principal.user_id)
            if session is None:
                raise NotFound("There is no such session.")
            said = await shown_messages(tx, session_id, _MOST_MESSAGES, _MOST_BYTES)
        if not said:
            raise Conflict("Nothing was said in the session yet.", code="nothing_said")
        keys = RunKeys(new_id(), session_id, principal.user_id)
        async with core.turn_limits.let_in(keys):
            pass
        title = title_in(await self._ask(core, keys, session, said))
        if title is None:
            raise TurnFailed("The model wrote no title.", code="invalid_output")
        async with core.database.transaction() as tx:
            await change_session(tx, session_id, principal.user_id, SessionChange(title=title))
            found = await find_session(tx, session_id, principal.user_id)
        if found is None:
            raise NotFound("There is no such session.")
        return found

    async def _ask(
        self, core: Core, keys: RunKeys, session: SessionRecord, said: Sequence[ShownMessage]
    ) -> str:
        having = self._abilities
        model = having.models.get(self._model_code())
        log = LoneLog(core.driver, self._budgets, keys)
        meter = RunMeter(
            core.prices, log, log.emit, having.clock, self._watch, session_budget=session.budget
        )
        rates = having.rates.of_run(keys.user_id, keys.run_id)
        asker = Asker(having.client, meter, log.emit, having.clock, having.retry, rates)
        question = Question(
            frame=title_frame(str(keys.run_id), model.model_code),
            request=title_request(model, said),
            iteration=0,
            deadline=Deadline.after(WITHIN_S),
            metadata={},
            purpose=TITLE,
        )
        try:
            return (await asker.ask(question)).text
        finally:  # also where whoever asked has gone away
            await asyncio.shield(log.stored())
