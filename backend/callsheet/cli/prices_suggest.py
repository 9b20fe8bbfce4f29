"""`callsheet prices suggest`: first prices from LiteLLM's packaged list, to be verified."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import datetime
from typing import Annotated

import typer

from callsheet.catalog.litellm_map import load_litellm_map
from callsheet.catalog.price import PriceList
from callsheet.catalog.price_yaml import price_yaml
from callsheet.catalog.suggestion import Suggestion, suggest_prices
from callsheet.cli.configured_models import ConfiguredModel, configured_models
from callsheet.cli.console import OUT, note, warn
from callsheet.cli.database import open_database
from callsheet.cli.deployment import Deployment, read_deployment
from callsheet.cli.price_words import find_model
from callsheet.cli.prices_import import apply
from callsheet.kit.clock import SystemClock
from callsheet.ledger.price.store import load_price_table


def suggest(
    model: Annotated[
        str | None,
        typer.Argument(help="One model; unset: every configured model without a price."),
    ] = None,
    *,
    write: Annotated[
        bool, typer.Option("--write", help="Store the prices; without, only show them.")
    ] = False,
) -> None:
    """Show what LiteLLM's packaged price list would add, and its traps."""
    deployment = read_deployment()
    prices = load_litellm_map()
    now = SystemClock().now().replace(second=0, microsecond=0)
    wanted = asyncio.run(_wanted(deployment, model, now))
    if not wanted:
        note("Every configured model has a price; name one to see it all the same.")
    found = [suggest_prices(each.factory, each.names, prices, now) for each in wanted]
    for each in found:
        _warn_of(each)
    entries = tuple(entry for each in found for entry in each.entries)
    if not entries:
        raise typer.Exit(1 if wanted else 0)
    windows = {window.code: window for each in found for window in each.windows}
    listed = PriceList(windows=tuple(windows.values()), prices=entries)
    OUT.print(price_yaml(listed), soft_wrap=True, markup=False)
    if not write:
        note("For config/llm_prices.yaml; or --write stores them. Compare them with the "
             "provider's list first.")  # fmt: skip
        return
    for change in asyncio.run(apply(deployment, listed, commit=True)):
        OUT.print(str(change), soft_wrap=True, markup=False)


def _warn_of(found: Suggestion) -> None:
    for trap in found.traps:
        warn(f"{found.factory}/{found.model_code}: {trap}")


async def _wanted(
    deployment: Deployment, word: str | None, now: datetime
) -> Sequence[ConfiguredModel]:
    models = configured_models(deployment)
    if word is not None:
        factory, code = find_model(word, [(each.factory, each.model_code) for each in models])
        named = [each for each in models if (each.factory, each.model_code) == (factory, code)]
        return named or [ConfiguredModel(factory, code, (code,))]
    async with open_database(deployment) as database, database.read() as tx:
        table = await load_price_table(tx)
    book = table.book(deployment.settings.currency)
    return [each for each in models if not book.has_price(each.factory, each.model_code, now)]
