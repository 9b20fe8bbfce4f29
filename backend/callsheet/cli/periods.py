"""The options that say which days and which calls a command looks at."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated
from uuid import UUID
from zoneinfo import ZoneInfo

import typer

from callsheet.cli.deployment import Deployment
from callsheet.db.transaction import Read
from callsheet.kit.clock import SystemClock
from callsheet.kit.errors import BadInput, NotFound
from callsheet.kit.ids import parse_uuid
from callsheet.ledger.budget.quotas_file import load_quotas
from callsheet.ledger.report.ask import Filters
from callsheet.ledger.report.period import Period, PeriodWords, zone_of
from callsheet.ledger.report.store import find_user

Month = Annotated[
    str | None, typer.Option("--month", metavar="YYYY-MM", help="A whole month, as 2026-11.")
]
First = Annotated[
    str | None, typer.Option("--from", metavar="DAY", help="The first day, as 2026-11-01.")
]
Last = Annotated[
    str | None, typer.Option("--to", metavar="DAY", help="The last day; without it: today.")
]
Today = Annotated[bool, typer.Option("--today", help="Today alone.")]
Zone = Annotated[
    str | None,
    typer.Option("--zone", help="Whose days are meant. Unset: the zone of config/quotas.yaml."),
]
User = Annotated[str | None, typer.Option("--user", help="Only this user's calls, by name.")]
Model = Annotated[str | None, typer.Option("--model", help="Only calls of this model code.")]
Factory = Annotated[str | None, typer.Option("--factory", help="Only calls of this factory.")]
Session = Annotated[
    str | None, typer.Option("--session", metavar="ID", help="Only calls of this session.")
]

_NAMES = {name: f"--{name}" for name in ("month", "from", "to", "zone", "by", "as-of", "factory")}


@contextmanager
def as_options() -> Iterator[None]:
    """What is wrong with a value is wrong with its option: status 2, with the command's usage."""
    try:
        yield
    except BadInput as error:
        hint = _NAMES.get(str(error.extra.get("field")))
        raise typer.BadParameter(str(error), param_hint=hint) from error


def read_zone(deployment: Deployment, zone: str | None) -> ZoneInfo:
    """The zone of that name, else the one in which the deployment counts its days."""
    if zone is None:
        return load_quotas(deployment.folders.config / "quotas.yaml").zone
    with as_options():
        return zone_of(zone)


def read_period(
    month: str | None, first: str | None, last: str | None, where: ZoneInfo, *, today: bool = False
) -> Period:
    """The days that the options name; none of them: this month up to today."""
    now = SystemClock().now()
    with as_options():
        if not today:
            return PeriodWords(month, first, last).read(now, where)
        if month or first or last:
            raise typer.BadParameter(
                "stands alone, without --month, --from or --to", param_hint="--today"
            )
        day = now.astimezone(where).date()
        return Period(day, day, where)


def session_id_of(session: str | None) -> UUID | None:
    """The id that an option spells; usage error where it is none."""
    if session is None:
        return None
    found = parse_uuid(session)
    if found is None:
        raise typer.BadParameter(
            "is no session id; `callsheet sessions list` shows them", param_hint="--session"
        )
    return found


async def read_filters(
    tx: Read, user: str | None, model: str | None, factory: str | None, session_id: UUID | None
) -> Filters:
    """The filters that the options name; raises NotFound for a user that never was here."""
    user_id = None
    if user is not None:
        user_id = await find_user(tx, user)
        if user_id is None:
            raise NotFound(f"There is no user {user!r}.")
    return Filters(user_id, model, factory, session_id)
