"""`callsheet prices fx ...`: rates of exchange."""

from __future__ import annotations

import asyncio
from typing import Annotated, Final

import typer
from pydantic import ValidationError

from callsheet.catalog.fx import FxEntry
from callsheet.catalog.fx_change import change_rate
from callsheet.catalog.fx_store import stored_rates
from callsheet.catalog.report import Change
from callsheet.cli.console import OUT, note
from callsheet.cli.database import open_database
from callsheet.cli.price_words import read_moment, who
from callsheet.cli.table import text_table
from callsheet.kit.clock import SystemClock
from callsheet.kit.errors import BadInput
from callsheet.kit.json import encode
from callsheet.kit.money import plain
from callsheet.kit.yaml_words import said
from callsheet.wiring.price_feed import lead_of

app = typer.Typer(add_completion=False, no_args_is_help=True, help="Rates of exchange.")

_COLUMNS: Final = ("one", "costs", "in", "from (UTC)", "source")


@app.command(name="list")
def list_command() -> None:
    """List every rate; each holds until the next one of its pair begins."""

    async def work() -> list[tuple[str, str, str, str, str]]:
        async with open_database() as database, database.read() as tx:
            return [
                (
                    rate.base,
                    plain(rate.rate),
                    rate.quote,
                    f"{rate.valid_from:%Y-%m-%d %H:%M:%S}",
                    rate.source,
                )
                for rate in await stored_rates(tx)
            ]

    OUT.print(text_table(_COLUMNS, asyncio.run(work())), soft_wrap=True, markup=False)


@app.command(name="set")
def set_command(
    base: Annotated[str, typer.Argument(help="The currency of prices: CNY.")],
    quote: Annotated[str, typer.Argument(help="The accounting currency: USD.")],
    rate: Annotated[str, typer.Argument(help="What one BASE costs in QUOTE: 0.1389.")],
    *,
    start: Annotated[
        str | None, typer.Option("--from", help="When it begins; unset: as soon as it can.")
    ] = None,
    source: Annotated[str | None, typer.Option("--source", help="Where it is from.")] = None,
) -> None:
    """Begin a rate; calls that were booked keep theirs."""
    begins_at = None if start is None else read_moment(start)
    clock = SystemClock()

    async def work() -> tuple[Change, ...]:
        async with open_database() as database:
            lead = await lead_of(database, own_processes=0)
            async with database.transaction() as tx:
                now = clock.now()
                values = {"base": base, "quote": quote, "rate": rate, "source": source or who()}
                entry = _entry({**values, "valid_from": begins_at or now + lead})
                return await change_rate(tx, entry, now)

    changes = asyncio.run(work())
    for change in changes:
        OUT.print(str(change), soft_wrap=True, markup=False)
    if not changes:
        note("That rate holds already.")


def _entry(values: dict[str, object]) -> FxEntry:
    try:
        return FxEntry.model_validate_json(encode(values))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise BadInput(f"{'/'.join(map(str, first['loc']))}: {said(first, None)[0]}.") from error
