"""What is odd about a price that can be begun nevertheless."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from sqlalchemy import text

from callsheet.catalog.price import PriceEntry
from callsheet.db.transaction import Read
from callsheet.kit.yaml_words import closest

_LISTED: Final = text("""
SELECT f.name AS factory, l.model_code FROM llms l JOIN llm_factory f ON f.id = l.factory_id
""")


async def doubts_about(
    tx: Read, entry: PriceEntry, configured: Collection[tuple[str, str]]
) -> tuple[str, ...]:
    """What to tell who begins it; `configured` are factory and code of the models of models.yaml.

    A price may come before its model; more often such a name is misspelt.
    """
    listed = {(row.factory, row.model_code) for row in await tx.execute(_LISTED)}
    known = {"/".join(name) for name in listed.union(configured)}
    if entry.name in known:
        return ()
    near = closest(entry.name, sorted(known))
    hint = f" Did you mean {near}?" if near else ""
    return (
        f"Neither llm_catalog.yaml nor models.yaml has a model {entry.name}: its price is stored, "
        f"and no call is booked with it.{hint}",
    )
