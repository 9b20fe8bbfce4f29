"""A provider's own usage object, brought to the one normal form.

Vendors of the OpenAI protocol differ in where they put cached and reasoning tokens:

- cached: `prompt_tokens_details.cached_tokens` (most), `prompt_cache_hit_tokens` (DeepSeek),
  top-level `cached_tokens` (Moonshot), `cache_read_input_tokens` (gateways). Always inside the
  input; where two spellings come, one is taken, they are never added.
- cache write: `prompt_tokens_details.cache_creation_input_tokens` (DashScope's explicit cache).
- reasoning: inside `completion_tokens`, unless the total shows that it was counted apart.
- Ollama's own counts: `prompt_eval_count`, `eval_count`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from callsheet.events.usage import MeteredUsage, Usage
from callsheet.kit.json import cleaned

_MOST: Final = 1_000_000_000
_INPUT: Final = ("prompt_tokens", "prompt_eval_count")
_OUTPUT: Final = ("completion_tokens", "eval_count")
_CACHED: Final = ("cached_tokens",)
_CACHED_OUTSIDE: Final = ("prompt_cache_hit_tokens", "cached_tokens", "cache_read_input_tokens")
_WRITTEN: Final = ("cache_creation_input_tokens", "cache_creation_tokens")


class _NonsenseError(ValueError):
    """A count that is no count."""


def metered(raw: Any, estimate: Usage) -> MeteredUsage:
    """What a call used: the provider's counts, else the estimate, marked as such.

    Of an object that is only partly sound, the sound counts are kept and the rest is estimated.
    The object itself is kept as it came, but for characters that the database cannot hold.
    """
    kept = cleaned(raw) or None
    usage = read_usage(raw)
    if usage is not None:
        return MeteredUsage(usage=usage, source="provider", raw=kept)
    return MeteredUsage(
        usage=_salvaged(raw, estimate), source="estimated", raw=kept, method="tokens"
    )


def read_usage(raw: Any) -> Usage | None:
    """The counts of a usage object; None where it is missing, incomplete or contradicts itself."""
    if not isinstance(raw, Mapping):
        return None
    try:
        return _read(raw)
    except _NonsenseError:
        return None


def _read(raw: Mapping[str, Any]) -> Usage | None:
    counted_in, counted_out = _first(raw, _INPUT), _first(raw, _OUTPUT)
    hit, miss = _count(raw, "prompt_cache_hit_tokens"), _count(raw, "prompt_cache_miss_tokens")
    if counted_in is None and hit is not None and miss is not None:
        counted_in = hit + miss
    if counted_in is None or counted_out is None:
        return None
    details = _details(raw, "prompt_tokens_details")
    cached = _first(details, _CACHED) or _first(raw, _CACHED_OUTSIDE) or 0
    written = _first(details, _WRITTEN) or _first(raw, _WRITTEN) or 0
    if cached + written > counted_in:
        raise _NonsenseError
    reasoning = _reasoning(raw)
    apart = counted_in + counted_out + reasoning
    total = _count(raw, "total_tokens")
    if reasoning and (total == apart or (total is None and reasoning > counted_out)):
        counted_out += reasoning
    return Usage(
        input_tokens=counted_in,
        output_tokens=counted_out,
        cached_tokens=cached,
        cache_write_tokens=written,
        reasoning_tokens=min(reasoning, counted_out),
    )


def _salvaged(raw: Any, estimate: Usage) -> Usage:
    """The estimate, with whatever counts of a broken usage object are sound."""
    if not isinstance(raw, Mapping):
        return estimate
    counted_in, counted_out = _sound(raw, _INPUT), _sound(raw, _OUTPUT)
    total = _sound(raw, ("total_tokens",))
    if total is not None and counted_out is None:
        counted_in = min(counted_in or estimate.input_tokens, total)
        counted_out = total - counted_in
    inputs = estimate.input_tokens if counted_in is None else counted_in
    outputs = estimate.output_tokens if counted_out is None else counted_out
    return Usage(
        input_tokens=inputs,
        output_tokens=outputs,
        reasoning_tokens=min(estimate.reasoning_tokens, outputs),
    )


def _reasoning(raw: Mapping[str, Any]) -> int:
    details = _details(raw, "completion_tokens_details")
    return _count(details, "reasoning_tokens") or _count(raw, "reasoning_tokens") or 0


def _details(raw: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = raw.get(key)
    return value if isinstance(value, Mapping) else {}


def _first(raw: Mapping[str, Any], keys: tuple[str, ...]) -> int | None:
    """The first count that is not zero; zero where all that are there are zero."""
    counts = [count for key in keys if (count := _count(raw, key)) is not None]
    return next((count for count in counts if count), 0) if counts else None


def _count(raw: Mapping[str, Any], key: str) -> int | None:
    value = raw.get(key)
    if value is None:
        return None
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= _MOST:
        raise _NonsenseError
    return value


def _sound(raw: Mapping[str, Any], keys: tuple[str, ...]) -> int | None:
    try:
        return _first(raw, keys)
    except _NonsenseError:
        return None
