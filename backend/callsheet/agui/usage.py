"""Tokens and money as they stand on the wire."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any, Final

from callsheet.agui.show import ShowOptions
from callsheet.events.usage import Bill, ModelUsage, Usage
from callsheet.kit.money import plain, to_message

_LARGEST: Final = 2**53 - 1


def token_usage(used: Sequence[ModelUsage], show: ShowOptions) -> list[dict[str, Any]]:
    """One TokenUsage for each model: totals, and the parts that are not zero.

    One for all of them, without a name, where models are hidden.
    """
    if show.models:
        return [
            {"provider": item.factory, "model": item.model, **_counts(item.usage)} for item in used
        ]
    whole = Usage()
    for item in used:
        whole = whole.plus(item.usage)
    return [_counts(whole)] if used else []


def run_cost(used: Sequence[ModelUsage], show: ShowOptions) -> dict[str, Any]:
    """What the run cost, as a decimal string; nothing where no model was called."""
    if not used or not show.costs:
        return {}
    total = sum((item.cost for item in used), Decimal(0))
    unpriced = any(item.unpriced for item in used)
    return {
        "cost": plain(to_message(total)),
        "currency": used[0].currency,
        **unpriced_field(show, unpriced=unpriced),
    }


def unpriced_field(show: ShowOptions, *, unpriced: bool) -> dict[str, Any]:
    """Beside a cost of which a part is not known."""
    return {"unpriced": True} if unpriced and show.costs else {}


def bill_fields(bill: Bill | None, show: ShowOptions) -> dict[str, Any] | None:
    """The bill of a message for `metadata.callsheet`."""
    if bill is None:
        return None
    return {
        "messageId": bill.message_id,
        "seq": bill.seq,
        **({"model": bill.model} if show.models else {}),
        "inputTokens": bill.usage.input_tokens,
        "cachedInputTokens": bill.usage.cached_tokens,
        "outputTokens": bill.usage.output_tokens,
        "reasoningTokens": bill.usage.reasoning_tokens,
        **({"cost": plain(bill.cost), "currency": bill.currency} if show.costs else {}),
        "latencyMs": bill.latency_ms,
        "estimated": bill.estimated,
        **unpriced_field(show, unpriced=bill.unpriced),
    }


def _counts(usage: Usage) -> dict[str, Any]:
    sent, made = _count(usage.input_tokens), _count(usage.output_tokens)
    parts = {
        "reasoningTokens": min(_count(usage.reasoning_tokens), made),
        "cachedInputTokens": min(_count(usage.cached_tokens), sent),
    }
    parts["cacheWriteInputTokens"] = min(
        _count(usage.cache_write_tokens), sent - parts["cachedInputTokens"]
    )
    return {
        "inputTokens": sent,
        "outputTokens": made,
        "totalTokens": _count(sent + made),
        **{name: value for name, value in parts.items() if value},
    }


def _count(tokens: int) -> int:
    return max(0, min(tokens, _LARGEST))
