"""What a call used where its usage object cannot be taken as it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from callsheet.events.usage import MeteredUsage, Usage
from callsheet.llm.usage.count import MOST_TOKENS, sound
from callsheet.llm.usage.form import Form
from callsheet.llm.usage.read import Reading

Method = Literal["tokens", "partial", "total", "last_known"]
"""How an estimate was made.

tokens: no count could be used, the words were counted. partial: sound counts of a broken object,
the rest from the words. total: only a sum was told, and what the prompt does not explain is output.
last_known: the answer broke off or went on after an object that may not be its last.
"""


def salvaged(raw: Any, form: Form, estimate: Usage) -> tuple[Usage, Method]:
    """The estimate, with whatever counts of a broken object are sound.

    A discount for cached tokens is taken only from an object that is whole.
    """
    if not isinstance(raw, Mapping):
        return estimate, "tokens"
    inputs, outputs = _sound_input(raw, form), sound(raw, form.outputs)
    total = sound(raw, form.totals)
    if outputs is None and total:
        inputs = min(estimate.input_tokens if inputs is None else inputs, total)
        return _usage(inputs, total - inputs, estimate.reasoning_tokens), "total"
    if not inputs and not outputs:
        return estimate, "tokens"
    reasoning = sound(raw, form.reasonings)
    if outputs is not None and reasoning is not None:
        # More than the whole cannot be inside it, whatever the dialect says.
        if form.reasoning == "beside" or reasoning > outputs:
            outputs += reasoning
    else:
        reasoning = estimate.reasoning_tokens
    inputs = estimate.input_tokens if inputs is None else inputs
    outputs = estimate.output_tokens if outputs is None else outputs
    return _usage(inputs, outputs, reasoning), "partial"


def last_known(raw: Any, reading: Reading, estimate: Usage) -> MeteredUsage:
    """Where no last word on usage came: the prompt as the provider counted it, and of the output
    whichever is more, what it had counted by then or what had arrived by the end.
    """
    known = reading.usage
    outputs = max(known.output_tokens, estimate.output_tokens)
    usage = Usage(
        input_tokens=known.input_tokens,
        output_tokens=outputs,
        cached_tokens=known.cached_tokens,
        cache_write_tokens=known.cache_write_tokens,
        reasoning_tokens=min(outputs, max(known.reasoning_tokens, estimate.reasoning_tokens)),
    )
    return MeteredUsage(
        usage=usage,
        source="estimated",
        raw=raw,
        method="last_known",
        cache_type=reading.cache_type,
    )


def _sound_input(raw: Mapping[str, Any], form: Form) -> int | None:
    inputs = sound(raw, form.inputs)
    if inputs is None:
        return None
    inputs += sum(sound(raw, (path,)) or 0 for path in form.more_input)
    if form.cache == "beside":
        inputs += (sound(raw, form.cached) or 0) + (sound(raw, form.written) or 0)
    return inputs


def _usage(inputs: int, outputs: int, reasoning: int) -> Usage:
    outputs = min(outputs, MOST_TOKENS)
    return Usage(
        input_tokens=min(inputs, MOST_TOKENS),
        output_tokens=outputs,
        reasoning_tokens=min(reasoning, outputs),
    )
