"""What a report or an export over HTTP is asked for: every parameter known, each once."""

from __future__ import annotations

from typing import Annotated, Final
from uuid import UUID

from fastapi import Query, Request

from callsheet.agui.show import ShowOptions
from callsheet.api.caller import path_id
from callsheet.api.query import check_parameters, read_flag, read_name
from callsheet.auth.principal import Principal
from callsheet.kit.errors import BadInput, Forbidden
from callsheet.ledger.report.ask import Question, read_dimensions
from callsheet.ledger.report.period import PeriodWords


class UsageQuery:
    """The parameters as they were sent; FastAPI makes one for each request."""

    def __init__(  # noqa: PLR0913 - each is a query parameter
        self,
        request: Request,
        month: Annotated[str | None, Query(description="A month, as 2026-11.")] = None,
        first: Annotated[
            str | None, Query(alias="from", description="The first day, as 2026-11-01.")
        ] = None,
        last: Annotated[
            str | None, Query(alias="to", description="The last day; unset: today.")
        ] = None,
        zone: Annotated[str | None, Query(description="Whose days are meant.")] = None,
        user: Annotated[str | None, Query(description="For admins: whose calls.")] = None,
        everybody: Annotated[
            str | None, Query(alias="all", description="For admins: `true` for all users' calls.")
        ] = None,
        model: Annotated[str | None, Query(description="Only this model code.")] = None,
        factory: Annotated[str | None, Query(description="Only this provider.")] = None,
        session: Annotated[str | None, Query(description="Only this session.")] = None,
    ) -> None:
        self._request = request
        self._words = PeriodWords(month, first, last)
        self._zone = zone
        self._user = user
        self._everybody = everybody
        self._model = model
        self._factory = factory
        self._session = session

    def question(
        self, caller: Principal, show: ShowOptions, by: str | None = None, *also: str
    ) -> Question:
        """What it asks, in the name of `caller`; `also` are parameters besides those above.

        Raises:
            BadInput: a parameter is unknown, doubled or malformed; `field` names it.
            Forbidden: it names models where the deployment hides them.
        """
        check_parameters(self._request, {*_KNOWN, *also})
        everybody = read_flag("all", self._everybody)
        if everybody and self._user is not None:
            raise BadInput("user names one user, all is for everybody: leave one out.", field="all")
        dimensions = read_dimensions([by]) if by else ()
        if not show.models and ("model" in dimensions or self._model or self._factory):
            raise Forbidden("Models and providers are not shown here.")
        return Question(
            words=self._words,
            zone=self._zone,
            by=dimensions,
            user=read_name("user", self._user),
            everybody=everybody,
            model=read_name("model", self._model),
            factory=read_name("factory", self._factory),
            session_id=self._session_id(caller),
        )

    def _session_id(self, caller: Principal) -> UUID | None:
        return None if self._session is None else path_id(caller, "session", self._session)


_KNOWN: Final = frozenset(
    {"month", "from", "to", "zone", "user", "all", "model", "factory", "session"}
)
