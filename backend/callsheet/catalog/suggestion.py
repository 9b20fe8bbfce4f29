"""What LiteLLM's map says that a model costs, as entries of ours, with what to beware of.

Pure: looks at the map, writes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, Final

from callsheet.catalog.litellm_map import LiteLlmMap
from callsheet.catalog.price import PriceEntry, Tier
from callsheet.catalog.window import Span, Window

# What LiteLLM calls the providers of the catalog that ships.
_PROVIDERS: Final[Mapping[str, tuple[str, ...]]] = {
    "qwen": ("dashscope",),
    "kimi": ("moonshot",),
    "doubao": ("volcengine",),
    "zai": ("zai", "bigmodel"),
}
_CONVERTS: Final = frozenset({"volcengine", "bigmodel"})
_COSTS: Final[Mapping[str, str]] = {
    "input_per_million": "input_cost_per_token",
    "cached_per_million": "cache_read_input_token_cost",
    "output_per_million": "output_cost_per_token",
    "explicit_cached_per_million": "explicit_cache_read_input_token_cost",
    "cache_write_per_million": "cache_creation_input_token_cost",
    "reasoning_per_million": "output_cost_per_reasoning_token",
}
_ABOVE: Final = re.compile(r"input_cost_per_token_above_(\d+)k_tokens")
_PLACES: Final = Decimal("0.00000001")
_MILLION: Final = 1_000_000
_DAYS: Final = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


@dataclass(frozen=True, slots=True)
class Suggestion:
    """`entries` with their `windows`, none where the map has nothing to go by; `traps` in words."""

    factory: str
    model_code: str
    key: str | None
    entries: tuple[PriceEntry, ...] = ()
    windows: tuple[Window, ...] = ()
    traps: tuple[str, ...] = ()


def suggest_prices(
    factory: str, names: Sequence[str], prices: LiteLlmMap, now: datetime
) -> Suggestion:
    """What the map has of the model `names[0]` of the factory; the other names are aliases.

    Only entries of the factory's own provider count: resellers of one model price it otherwise.
    """
    code = names[0]
    for provider in _PROVIDERS.get(factory, (factory,)):
        for name in names:
            for key in (f"{provider}/{name}", name):
                entry = prices.entries.get(key)
                if entry is not None and entry.get("litellm_provider", provider) == provider:
                    return _from_entry(factory, code, key, prices, now)
    others = sorted(
        key for key in prices.entries if key.rpartition("/")[2].lower() in map(str.lower, names)
    )
    trap = "not in the map"
    if others:
        trap += f" under this provider; others sell it as {', '.join(others[:3])}"
    return Suggestion(factory, code, None, traps=(trap,))


def _from_entry(factory: str, code: str, key: str, prices: LiteLlmMap, now: datetime) -> Suggestion:
    raw = prices.entries[key]
    traps = list(_traps(key, raw))
    if not _tiers_of(raw):
        traps.append("no price per token in the map: enter it by hand")
        return Suggestion(factory, code, key, traps=tuple(traps))
    if all(not each.get("input_cost_per_token") for each in _tiers_of(raw)):
        traps.append("price 0 in the map: left out; enter 0 by hand if it is really free")
        return Suggestion(factory, code, key, traps=tuple(traps))
    common: dict[str, Any] = {
        "factory": factory,
        "model_code": code,
        "currency": "USD",
        "valid_from": now,
        "source": f"LiteLLM {prices.version} {key}, verify",
    }
    entries = [PriceEntry(**common, **_terms(raw))]
    window = _off_peak(factory, raw)
    if window is not None:
        cheaper = {**raw, **raw["off_peak_pricing"]}
        entries.append(PriceEntry(**common, window=window.code, **_terms(cheaper)))
    return Suggestion(factory, code, key, tuple(entries), (window,) if window else (), tuple(traps))


def _tiers_of(raw: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The raw costs by size of the input, the smallest first; `up_to` None: open."""
    if tiers := raw.get("tiered_pricing"):
        listed = [
            {**tier, "up_to": int(tier["range"][1])}
            for tier in sorted(tiers, key=lambda tier: tier["range"][0])
            if "input_cost_per_token" in tier
        ]
        return [*listed[:-1], {**listed[-1], "up_to": None}] if listed else []
    if "input_cost_per_token" not in raw or "output_cost_per_token" not in raw:
        return []
    above = sorted(int(found[1]) for key in raw if (found := _ABOVE.fullmatch(key)))
    borders = [*(border * 1000 for border in above), None]
    suffixes = ["", *(f"_above_{border}k_tokens" for border in above)]
    return [
        {
            "up_to": border,
            **{
                name: raw.get(f"{name}{suffix}", raw.get(name))
                for name in _COSTS.values()
                if raw.get(f"{name}{suffix}", raw.get(name)) is not None
            },
        }
        for suffix, border in zip(suffixes, borders, strict=True)
    ]


def _terms(raw: Mapping[str, Any]) -> dict[str, Any]:
    """The prices of an entry: of one size, or of its tiers."""
    tiers = _tiers_of(raw)
    if len(tiers) == 1:
        return _per_million(tiers[0])
    return {
        "tiers": tuple(
            Tier(up_to_input_tokens=tier["up_to"], **_per_million(tier)) for tier in tiers
        )
    }


def _per_million(costs: Mapping[str, Any]) -> dict[str, Decimal]:
    found = {ours: costs[theirs] for ours, theirs in _COSTS.items() if theirs in costs}
    if not found.get("cache_write_per_million"):
        found.pop("cache_write_per_million", None)
    found.setdefault("cached_per_million", found["input_per_million"])
    return {
        name: (Decimal(cost) * _MILLION).quantize(_PLACES, ROUND_HALF_UP).normalize() + 0
        for name, cost in found.items()
    }


def _off_peak(factory: str, raw: Mapping[str, Any]) -> Window | None:
    block = raw.get("off_peak_pricing")
    if not isinstance(block, dict):
        return None
    spans: list[Span] = []
    for part in block.get("windows", ()):
        hours = part.get("hours_utc", ())
        days = tuple(_DAYS[day - 1] for day in part.get("weekdays", range(1, 8)))
        for each in [hours] if isinstance(hours, str) else hours:
            start, _, end = each.partition("-")
            spans.append(Span.model_validate({"weekdays": days, "from": start, "to": end}))
    return Window(code=f"{factory}-off-peak", timezone="UTC", spans=tuple(spans)) if spans else None


def _traps(key: str, raw: Mapping[str, Any]) -> Iterator[str]:
    tiers = _tiers_of(raw)
    if any("cache_read_input_token_cost" not in tier for tier in tiers):
        yield "no cache price: cached tokens would cost as much as others"
    if len(tiers) > 1:
        yield f"{len(tiers)} tiers by the size of the input"
    if raw.get("tiered_pricing"):
        last = max(int(tier["range"][1]) for tier in raw["tiered_pricing"])
        yield f"its last tier ends at {last} tokens; here it is open"
    if any("output_cost_per_reasoning_token" in tier for tier in tiers):
        yield "reasoning is priced apart: some providers bill the whole answer at that price"
    yield from _traps_of_list(key, raw)


def _traps_of_list(key: str, raw: Mapping[str, Any]) -> Iterator[str]:
    comment = str(raw.get("metadata", ""))
    if raw.get("litellm_provider") in _CONVERTS or "CNY" in comment:
        yield "converted from a list in CNY at some rate: enter the currency of the invoice"
    if raw.get("cache_creation_input_token_cost") == 0:
        yield "cache write price 0: left out, so that it costs as much as other input"
    if "cache_creation_input_token_cost_above_1hr" in raw:
        yield "a cache that is kept for over an hour costs more to write: not in these prices"
    if isinstance(raw.get("off_peak_pricing"), dict):
        yield "cheaper off-peak: look whether the hours, in UTC, are still those"
    if deprecated := raw.get("deprecation_date"):
        yield f"deprecated from {deprecated} on"
    if (mode := raw.get("mode", "chat")) not in ("chat", "responses"):
        yield f"mode {mode}: may be billed by something else than tokens"
