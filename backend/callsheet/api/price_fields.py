"""The body that begins a price."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

import msgspec
from pydantic import ValidationError

from callsheet.catalog.price import PriceEntry
from callsheet.kit.errors import BadInput
from callsheet.kit.json import encode
from callsheet.kit.yaml_words import said

Moment = Annotated[datetime, msgspec.Meta(tz=True)]


class NewTier(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="camel"
):
    """One tier; the last has no `upToInputTokens`. Money is a decimal string."""

    input_per_million: str
    cached_per_million: str
    output_per_million: str
    up_to_input_tokens: int | None = None
    explicit_cached_per_million: str | None = None
    cache_write_per_million: str | None = None
    reasoning_per_million: str | None = None


class NewPrice(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="camel"
):
    """A price in one of three forms: per million tokens, `tiers` of these, or per `unit`.

    Money is a decimal string, so that no digit is lost. `validFrom` unset: as soon as every
    process knows it.
    """

    factory: str
    model_code: str
    currency: str
    source: str
    verified: bool = False
    valid_from: Moment | None = None
    window: str | None = None
    unit: str = "token"
    per_unit: str | None = None
    tiers: Annotated[list[NewTier], msgspec.Meta(max_length=20)] | None = None
    input_per_million: str | None = None
    cached_per_million: str | None = None
    output_per_million: str | None = None
    explicit_cached_per_million: str | None = None
    cache_write_per_million: str | None = None
    reasoning_per_million: str | None = None

    def entry(self, valid_from: datetime) -> PriceEntry:
        """The price as every other way in has it; raises BadInput, the field named."""
        values = {**msgspec.structs.asdict(self), "valid_from": self.valid_from or valid_from}
        if self.tiers is not None:
            values["tiers"] = [msgspec.structs.asdict(tier) for tier in self.tiers]
        try:
            entry = PriceEntry.model_validate_json(encode(values))
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            raise _mistake(first["loc"], said(first, None)[0]) from error
        for place, message in entry.faults():
            raise _mistake(place, message)
        return entry


def _mistake(place: tuple[Any, ...], message: str) -> BadInput:
    names = [str(step) for step in place]
    field = "/".join(_camel(name) for name in names)
    for name in names:
        message = message.replace(f"'{name}'", f"'{_camel(name)}'")
    return BadInput(f"{field}: {message}.", field=field)


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(part.capitalize() for part in rest)
