"""Prices as their file says them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, ClassVar, Final, Literal

from pydantic import AwareDatetime, Field, StringConstraints

from callsheet.catalog.catalog import Name
from callsheet.catalog.window import Window, WindowCode
from callsheet.kit.yaml import Section

Unit = Literal["token", "second", "character", "image", "request"]
Currency = Annotated[str, StringConstraints(pattern=r"^[A-Z]{3}$")]
# With a million tokens at the highest of these the cost still fits the ledger's column.
Money = Annotated[Decimal, Field(ge=0, le=10_000_000, max_digits=18, decimal_places=8)]
UnitMoney = Annotated[Decimal, Field(ge=0, le=1_000_000, max_digits=18, decimal_places=10)]
Source = Annotated[str, StringConstraints(min_length=1, max_length=500)]
InputTokens = Annotated[int, Field(ge=1, le=2_000_000_000)]

ANY_TIME: Final = "any"
PER_MILLION: Final = (
    "input_per_million",
    "cached_per_million",
    "output_per_million",
    "explicit_cached_per_million",
    "cache_write_per_million",
    "reasoning_per_million",
)
_NEEDED: Final = PER_MILLION[:3]
_SYNONYMS: Final = {
    "input": "input_per_million",
    "output": "output_per_million",
    "cached": "cached_per_million",
    "cache_read_per_million": "cached_per_million",
    "cached_input_per_million": "cached_per_million",
}


@dataclass(frozen=True, slots=True)
class Terms:
    """What one row charges. Rows with equal terms cost the same.

    Per million tokens for inputs over `tier_min_input` up to and with `tier_max_input`; what is
    None costs the plain input, cached or output price. `per_unit` for any unit but `token`.
    """

    currency: str
    unit: Unit = "token"
    tier_min_input: int = 0
    tier_max_input: int | None = None
    input_per_million: Decimal = Decimal(0)
    cached_per_million: Decimal = Decimal(0)
    output_per_million: Decimal = Decimal(0)
    explicit_cached_per_million: Decimal | None = None
    cache_write_per_million: Decimal | None = None
    reasoning_per_million: Decimal | None = None
    per_unit: Decimal | None = None


class Tier(Section):
    """What a million tokens costs in requests of up to and with that many input tokens."""

    synonyms: ClassVar[Mapping[str, str]] = {**_SYNONYMS, "max_input": "up_to_input_tokens"}

    up_to_input_tokens: InputTokens | None = Field(
        default=None, description="The border belongs to this tier. The last tier has none."
    )
    input_per_million: Money
    cached_per_million: Money
    output_per_million: Money
    explicit_cached_per_million: Money | None = None
    cache_write_per_million: Money | None = None
    reasoning_per_million: Money | None = None


class PriceEntry(Section):
    """What a model costs from `valid_from` on, until its next entry (of that window) begins.

    In one of three forms: `input_`, `cached_` and `output_per_million`; `tiers` of these by the
    size of the input; or `unit` and `per_unit`. `cached` is for tokens the provider had in its
    cache; where it gives no discount it is the input price.
    """

    synonyms: ClassVar[Mapping[str, str]] = {**_SYNONYMS, "model": "model_code"}

    factory: Name
    model_code: Name
    currency: Currency
    valid_from: AwareDatetime
    source: Source
    verified: bool = False
    window: WindowCode | None = Field(
        default=None, description="Holds only in that window, where it goes before the others."
    )
    input_per_million: Money | None = None
    cached_per_million: Money | None = None
    output_per_million: Money | None = None
    explicit_cached_per_million: Money | None = None
    cache_write_per_million: Money | None = None
    reasoning_per_million: Money | None = None
    tiers: Annotated[tuple[Tier, ...], Field(min_length=1, max_length=20)] | None = None
    unit: Unit = "token"
    per_unit: UnitMoney | None = None

    @property
    def name(self) -> str:
        """The model, for people."""
        return f"{self.factory}/{self.model_code}"

    @property
    def window_code(self) -> str:
        """The window's code, `any` where the entry holds at any time."""
        return self.window or ANY_TIME

    @property
    def terms(self) -> tuple[Terms, ...]:
        """One row for each tier, the smallest first; of an entry without faults."""
        if self.unit != "token":
            return (Terms(self.currency, self.unit, per_unit=self.per_unit),)
        if self.tiers is None:
            return (Terms(self.currency, "token", 0, None, **_prices_of(self)),)
        borders = [tier.up_to_input_tokens for tier in self.tiers]
        lows = [0, *(border or 0 for border in borders[:-1])]
        return tuple(
            Terms(self.currency, "token", low, high, **_prices_of(tier))
            for low, high, tier in zip(lows, borders, self.tiers, strict=True)
        )

    def faults(self) -> Iterator[tuple[tuple[str | int, ...], str]]:
        """What no single value shows: its place in the entry, and what is wrong there."""
        given = [name for name in PER_MILLION if getattr(self, name) is not None]
        if self.unit != "token":
            for name in [*given, *(["tiers"] if self.tiers is not None else [])]:
                yield (name,), f"a price per {self.unit} has no prices of tokens"
            if self.per_unit is None:
                yield ("per_unit",), "the key 'per_unit' is missing"
            return
        if self.per_unit is not None:
            yield ("per_unit",), "needs a 'unit' other than token"
        if self.tiers is None:
            for name in _NEEDED:
                if getattr(self, name) is None:
                    yield (name,), f"the key {name!r} is missing"
            return
        for name in given:
            yield (name,), "stands in the tiers already"
        yield from _faults_of(self.tiers)


class PriceList(Section):
    """The content of `llm_prices.yaml`; `unlisted` are models that no catalog has."""

    windows: tuple[Window, ...] = ()
    prices: tuple[PriceEntry, ...]
    unlisted: tuple[PriceEntry, ...] = ()


def _prices_of(section: Tier | PriceEntry) -> dict[str, Decimal]:
    values = {name: getattr(section, name) for name in PER_MILLION}
    return {name: value for name, value in values.items() if value is not None}


def _faults_of(tiers: tuple[Tier, ...]) -> Iterator[tuple[tuple[str | int, ...], str]]:
    below = 0
    for index, tier in enumerate(tiers):
        border, is_last = tier.up_to_input_tokens, index == len(tiers) - 1
        place = ("tiers", index, "up_to_input_tokens")
        if border is None and not is_last:
            yield place, "the key 'up_to_input_tokens' is missing: only the last tier is open"
        elif border is not None and is_last:
            yield place, "the last tier has to be open, for any larger input: leave this out"
        elif border is not None and border <= below:
            yield place, f"must be more than {below}"
        below = max(below, border or 0)
