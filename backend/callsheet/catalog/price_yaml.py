"""A price list as the text of `llm_prices.yaml`."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from callsheet.catalog.price import PER_MILLION, PriceEntry, PriceList, Tier
from callsheet.catalog.window import Window
from callsheet.kit.json import encode
from callsheet.kit.money import plain


def price_yaml(prices: PriceList) -> str:
    """Text that is read back as the same list."""
    lines: list[str] = []
    if prices.windows:
        lines.append("windows:")
        for window in prices.windows:
            lines += _window(window)
    lines.append("prices:" if prices.prices else "prices: []")
    for entry in prices.prices:
        lines += _entry(entry)
    return "\n".join(lines)


def _window(window: Window) -> Iterator[str]:
    yield f"  - code: {window.code}"
    yield f"    timezone: {window.timezone}"
    yield "    spans:"
    for span in window.spans:
        yield f"      - weekdays: [{', '.join(span.weekdays)}]"
        yield f'        from: "{span.start}"'
        yield f'        to: "{span.end}"'


def _entry(entry: PriceEntry) -> Iterator[str]:
    yield f"  - factory: {_text(entry.factory)}"
    yield f"    model_code: {_text(entry.model_code)}"
    yield f"    currency: {entry.currency}"
    yield f"    valid_from: {entry.valid_from.isoformat()}"
    if entry.window is not None:
        yield f"    window: {_text(entry.window)}"
    if entry.per_unit is not None:
        yield f"    unit: {entry.unit}"
        yield f"    per_unit: {plain(entry.per_unit)}"
    yield from (f"    {name}: {plain(value)}" for name, value in _prices(entry))
    if entry.tiers is not None:
        yield "    tiers:"
        for tier in entry.tiers:
            parts = [f"{name}: {plain(value)}" for name, value in _prices(tier)]
            if tier.up_to_input_tokens is not None:
                parts.insert(0, f"up_to_input_tokens: {tier.up_to_input_tokens}")
            yield f"      - {parts[0]}"
            yield from (f"        {part}" for part in parts[1:])
    yield f"    source: {_text(entry.source)}"
    yield f"    verified: {str(entry.verified).lower()}"


def _prices(section: PriceEntry | Tier) -> Iterator[tuple[str, Decimal]]:
    for name in PER_MILLION:
        value = getattr(section, name)
        if value is not None:
            yield name, value


def _text(value: str) -> str:
    """In double quotes, which YAML reads as JSON does."""
    return encode(value).decode()
