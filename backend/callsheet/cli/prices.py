"""`callsheet prices ...`: what models cost, and how that is changed while the server runs."""

from __future__ import annotations

import asyncio
from typing import Annotated

import typer

from callsheet.catalog.doubt import doubts_about
from callsheet.catalog.price import PriceEntry
from callsheet.catalog.price_change import change_price
from callsheet.catalog.price_list import (
    ModelPrices,
    PriceFilter,
    PriceRecord,
    known_models,
    list_prices,
    prices_of,
)
from callsheet.catalog.report import Change
from callsheet.cli import prices_check, prices_fx, prices_import, prices_suggest
from callsheet.cli.configured_models import configured_models
from callsheet.cli.console import OUT, note, warn
from callsheet.cli.database import open_database
from callsheet.cli.deployment import read_deployment
from callsheet.cli.price_table import hours_text, price_table
from callsheet.cli.price_words import entry_of, find_model, read_moment, read_tier, who
from callsheet.kit.clock import SystemClock
from callsheet.kit.errors import NotFound
from callsheet.kit.pages import LARGEST_PAGE, PageRequest
from callsheet.wiring.price_feed import lead_of

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    help="What models cost: list, show, set, import, suggest, check; and rates of exchange.",
)
app.command(name="import")(prices_import.import_command)
app.command(name="suggest")(prices_suggest.suggest)
app.command(name="check")(prices_check.check)
app.add_typer(prices_fx.app, name="fx")

Model = Annotated[str, typer.Argument(help="factory/model_code, or a model code alone.")]
_Money = Annotated[str | None, typer.Option(help="Per million tokens.")]


@app.command(name="list")
def list_command(
    *,
    everything: Annotated[
        bool, typer.Option("--all", help="Also what ended and what is yet to begin.")
    ] = False,
    factory: Annotated[str | None, typer.Option("--factory", help="Only this provider.")] = None,
) -> None:
    """List the prices that are valid now."""
    wanted = PriceFilter(factory=factory, at=None if everything else SystemClock().now())
    records = asyncio.run(_read(wanted))
    OUT.print(price_table(records), soft_wrap=True, markup=False)
    if not records:
        note("Prices of config/llm_prices.yaml are stored when the server starts.")


@app.command()
def show(model: Model) -> None:
    """Show the time line of a model: every price it had, has and will have."""

    async def work() -> ModelPrices:
        async with open_database() as database, database.read() as tx:
            found = await prices_of(tx, *find_model(model, await known_models(tx)))
        if not found.rows:
            raise NotFound(
                f"{found.factory}/{found.model_code} has no price; set one with "
                f"`callsheet prices set {found.factory}/{found.model_code} ...`."
            )
        return found

    found = asyncio.run(work())
    OUT.print(price_table(found.rows), soft_wrap=True, markup=False)
    for code, spans in sorted(found.windows.items()):
        OUT.print(hours_text(code, spans), soft_wrap=True, markup=False)


@app.command(name="set")
def set_command(  # noqa: PLR0913 - each is an option
    model: Model,
    *,
    input_: Annotated[str | None, typer.Option("--input", help="Per million tokens.")] = None,
    cached: Annotated[
        str | None,
        typer.Option("--cached", help="Per million; the input price where there is no discount."),
    ] = None,
    output: Annotated[str | None, typer.Option("--output", help="Per million tokens.")] = None,
    explicit_cached: _Money = None,
    cache_write: _Money = None,
    reasoning: _Money = None,
    tier: Annotated[
        list[str] | None,
        typer.Option(
            "--tier", help="UP_TO:INPUT,CACHED,OUTPUT, once for each tier; the last as :1,2,3."
        ),
    ] = None,
    unit: Annotated[
        str, typer.Option("--unit", help="token, second, character, image or request.")
    ] = "token",
    per_unit: Annotated[str | None, typer.Option("--per-unit", help="Price of one unit.")] = None,
    window: Annotated[
        str | None, typer.Option("--window", help="Only in this window of the price list.")
    ] = None,
    currency: Annotated[
        str | None, typer.Option("--currency", help="Unset: the accounting currency.")
    ] = None,
    start: Annotated[
        str | None, typer.Option("--from", help="When it begins; unset: as soon as it can.")
    ] = None,
    source: Annotated[
        str, typer.Option("--source", help="Where the price is from.")
    ] = "entered by hand, verify",
    verified: Annotated[
        bool, typer.Option("--verified", help="It was compared with the provider's list.")
    ] = False,
) -> None:
    """Close the price that holds and begin this one; what was booked stays as it is."""
    deployment = read_deployment()
    values = {
        "currency": currency or deployment.settings.currency,
        "source": source,
        "verified": verified,
        "window": window,
        "unit": unit,
        "per_unit": per_unit,
        "tiers": [read_tier(word) for word in tier] if tier else None,
        "input_per_million": input_,
        "cached_per_million": cached,
        "output_per_million": output,
        "explicit_cached_per_million": explicit_cached,
        "cache_write_per_million": cache_write,
        "reasoning_per_million": reasoning,
    }
    configured = {(each.factory, each.model_code) for each in configured_models(deployment)}
    begins_at = None if start is None else read_moment(start)
    clock = SystemClock()

    async def work() -> tuple[PriceEntry, tuple[str, ...], tuple[Change, ...]]:
        async with open_database(deployment) as database:
            lead = await lead_of(database, own_processes=0)
            async with database.transaction() as tx:
                factory, code = find_model(model, await known_models(tx))
                now = clock.now()
                begins = begins_at or now + lead
                named = {"factory": factory, "model_code": code, "valid_from": begins}
                entry = entry_of({**named, **values})
                by = who()
                doubts = await doubts_about(tx, entry, configured)
                currency = deployment.settings.currency
                return entry, doubts, await change_price(tx, entry, by, now, currency)

    entry, doubts, changes = asyncio.run(work())
    for change in changes:
        OUT.print(str(change), soft_wrap=True, markup=False)
    if not changes:
        note(f"{entry.name} costs that already.")
    elif entry.valid_from > clock.now():
        note(f"It begins at {entry.valid_from:%Y-%m-%d %H:%M:%S}Z.")
    for doubt in doubts:
        warn(doubt)


async def _read(wanted: PriceFilter) -> list[PriceRecord]:
    async with open_database() as database, database.read() as tx:
        records: list[PriceRecord] = []
        request = PageRequest(limit=LARGEST_PAGE)
        while True:
            page = await list_prices(tx, wanted, request)
            records += page.items
            if page.next_cursor is None:
                return records
            request = PageRequest(limit=LARGEST_PAGE, cursor=page.next_cursor)
