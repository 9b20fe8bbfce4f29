"""Whether what is called now can be billed rightly."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from callsheet.kit.errors import Unpriced
from callsheet.ledger.price.book import PriceBook


@dataclass(frozen=True, slots=True)
class ModelBilling:
    """A model that can be called; `detail` says what is missing.

    `verified`: somebody has compared its present prices with the provider's list. `factory` is
    '' for a model that nothing is known of.
    """

    factory: str
    model_code: str
    priced: bool
    verified: bool
    detail: str = ""


def billing_of(book: PriceBook, factory: str, model_code: str, at: datetime) -> ModelBilling:
    """How the model stands for a request that starts at `at`."""
    try:
        quote = book.quote(factory, model_code, at)
    except Unpriced as error:
        return ModelBilling(factory, model_code, priced=False, verified=False, detail=str(error))
    if unit := quote.uncounted:
        detail = f"It is priced per {unit}, which a chat does not count: set a price per token."
        return ModelBilling(factory, model_code, priced=False, verified=False, detail=detail)
    if not quote.prices:
        detail = "It has no price, and the deployment lets it be called all the same."
        return ModelBilling(factory, model_code, priced=False, verified=False, detail=detail)
    if not all(price.verified for price in quote.prices):
        detail = "Its price was not compared with the provider's list."
        return ModelBilling(factory, model_code, priced=True, verified=False, detail=detail)
    return ModelBilling(factory, model_code, priced=True, verified=True)
