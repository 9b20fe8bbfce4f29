"""From a usage object to the one normal form, by its dialect."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from callsheet.events.usage import CacheType, Usage
from callsheet.llm.usage.count import MOST_TOKENS, NonsenseError, count, first, word
from callsheet.llm.usage.form import Form

_EXPLICIT: Final = "ephemeral"


@dataclass(frozen=True, slots=True)
class Reading:
    """What a usage object says. `cache_type` is None where no cache was read or written."""

    usage: Usage
    cache_type: CacheType | None


def read(raw: Any, form: Form) -> Reading | None:
    """The counts of a usage object; None where it is missing, incomplete or contradicts itself."""
    if not isinstance(raw, Mapping):
        return None
    try:
        return _read(raw, form)
    except NonsenseError:
        return None


def cache_type_of(
    raw: Mapping[str, Any], form: Form, cached: int, written: int
) -> CacheType | None:
    """Which of the two prices of a cache holds."""
    if not cached and not written:
        return None
    return "explicit" if word(raw, form.cache_type) == _EXPLICIT else "implicit"


def _read(raw: Mapping[str, Any], form: Form) -> Reading | None:
    inputs = first(raw, form.inputs)
    if inputs is None:
        return None
    cached, written = first(raw, form.cached) or 0, first(raw, form.written) or 0
    inputs += sum(count(raw, path) or 0 for path in form.more_input)
    if form.cache == "beside":
        inputs += cached + written
    outputs, reasoning = first(raw, form.outputs), first(raw, form.reasonings)
    total = first(raw, form.totals)
    if outputs is None and form.omits_zeros and total == inputs + (reasoning or 0):
        outputs = 0
    if outputs is None:
        return None
    beside = _reasoning_beside(form, inputs + outputs, reasoning, total)
    outputs += beside
    reasoning = max(reasoning or 0, beside)
    if cached + written > inputs or reasoning > outputs or max(inputs, outputs) > MOST_TOKENS:
        raise NonsenseError
    usage = Usage(
        input_tokens=inputs,
        output_tokens=outputs,
        cached_tokens=cached,
        cache_write_tokens=written,
        reasoning_tokens=reasoning,
    )
    return Reading(usage, cache_type_of(raw, form, cached, written))


def _reasoning_beside(form: Form, counted: int, reasoning: int | None, total: int | None) -> int:
    """Reasoning tokens that the output does not hold: as the dialect says, or as the total shows.

    A dialect that keeps them apart but does not name them still has them in its total.
    """
    if form.reasoning == "beside":
        return max(0, (total or 0) - counted) if reasoning is None else reasoning
    if reasoning and total == counted + reasoning:
        return reasoning
    return 0
