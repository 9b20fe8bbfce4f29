"""`callsheet quota ...`: what users may spend."""

from __future__ import annotations

import asyncio
from typing import Annotated
from zoneinfo import ZoneInfo

import typer

from callsheet.auth.local import LOCAL_USER
from callsheet.auth.principal import principal_named, user_id_of
from callsheet.auth.store import remember_user
from callsheet.cli.console import OUT, note
from callsheet.cli.database import open_database
from callsheet.cli.deployment import Deployment, read_deployment
from callsheet.cli.quota_words import changed
from callsheet.cli.table import text_table
from callsheet.kit.clock import SystemClock
from callsheet.kit.errors import NotFound
from callsheet.kit.money import plain
from callsheet.ledger.budget.counters import CounterDifference, rebuild_counters
from callsheet.ledger.budget.limits import MEASURES, SCOPES, Limits, Override
from callsheet.ledger.budget.quota_store import set_quota, stored_quota
from callsheet.ledger.budget.quotas_file import FILE, QuotaSettings, load_quotas
from callsheet.ledger.report.store import find_user

app = typer.Typer(
    add_completion=False, no_args_is_help=True, help="Show and set what users may spend."
)

_PATIENCE_S = 600.0
_User = Annotated[str, typer.Argument(help="The user's name.")]


@app.command()
def show(user: _User = LOCAL_USER) -> None:
    """Show the limits that hold for a user, and where each was set."""
    deployment = read_deployment()
    settings = _settings(deployment)

    async def work() -> Override:
        async with open_database(deployment) as database, database.read() as tx:
            user_id = await find_user(tx, user)
            if user_id is None:
                note(f"{user} was never here; this is what would hold.")
                return {}
            return await stored_quota(tx, user_id)

    _show(user, settings, asyncio.run(work()), deployment.settings.currency)


@app.command(name="set")
def set_command(
    user: _User,
    limits: Annotated[
        list[str],
        typer.Argument(
            help="SCOPE.MEASURE=AMOUNT, such as user_day.cost=5 or run.calls=20; `none` lifts a "
            "limit, `default` takes back what was set."
        ),
    ],
    *,
    new: Annotated[
        bool, typer.Option("--new", help="The user was never here: make them known.")
    ] = False,
) -> None:
    """Set limits of a user; servers follow within ten seconds."""
    deployment = read_deployment()
    settings = _settings(deployment)

    async def work() -> Override:
        async with open_database(deployment) as database, database.transaction() as tx:
            user_id = await find_user(tx, user)
            if user_id is None:
                if not new:
                    raise NotFound(
                        f"There is no user {user!r}; users are known from their first turn or "
                        "key on, or with --new."
                    )
                await remember_user(tx, principal_named(user))
                user_id = user_id_of(user)
            own = changed(await stored_quota(tx, user_id), limits)
            await set_quota(tx, user_id, own, "command line")
            return own

    _show(user, settings, asyncio.run(work()), deployment.settings.currency)


@app.command()
def rebuild() -> None:
    """Count this day and month anew from the ledger, where a counter is wrong."""
    deployment = read_deployment()
    zone = _settings(deployment).zone

    async def work() -> tuple[CounterDifference, ...]:
        async with open_database(deployment, statement_timeout_s=_PATIENCE_S) as database:
            return await rebuild_counters(database, zone, SystemClock().now())

    found = asyncio.run(work())
    if not found:
        OUT.print("Every counter is what its ledger rows add up to.")
        return
    OUT.print(
        text_table(_WRONG, [_row(each, zone) for each in found]), soft_wrap=True, markup=False
    )
    note(f"{len(found)} counters were wrong and are made anew.")


_WRONG = ("scope", "id", "period", "began", "calls", "was", "tokens", "was", "cost", "was")


def _row(found: CounterDifference, zone: ZoneInfo) -> tuple[object, ...]:
    kept, right = found.kept, found.ledger
    return (
        found.scope,
        found.scope_id,
        found.period,
        f"{found.period_start.astimezone(zone):%Y-%m-%d}",
        right.calls,
        kept.calls if kept else "none",
        right.tokens,
        kept.tokens if kept else "none",
        plain(right.cost),
        plain(kept.cost) if kept else "none",
    )


def _settings(deployment: Deployment) -> QuotaSettings:
    return load_quotas(deployment.folders.config / FILE)


def _show(user: str, settings: QuotaSettings, own: Override, currency: str) -> None:
    sources: tuple[tuple[str, Override], ...] = (
        ("everybody", {scope: dict(settings.limits.of(scope)) for scope in SCOPES}),
        ("quotas.yaml", settings.users.get(user, {})),
        ("set", own),
    )
    limits = Limits()
    for _, override in sources:
        limits = limits.but(override)
    rows = []
    for scope in SCOPES:
        for measure in MEASURES:
            named = [name for name, each in sources if measure in each.get(scope, {})]
            if not named:
                continue
            most = limits.of(scope).get(measure)
            unit = currency if measure == "cost" else ""
            shown = "none" if most is None else f"{plain(most)} {unit}".rstrip()
            rows.append((scope, measure, shown, named[-1]))
    if rows:
        table = text_table(("scope", "measure", "limit", "from"), rows)
        OUT.print(table, soft_wrap=True, markup=False)
    else:
        note(f"{user} has no limit.")
