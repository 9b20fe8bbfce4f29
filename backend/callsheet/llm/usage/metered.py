"""What a call used, and how that is known."""

from __future__ import annotations

from typing import Any, Final

from callsheet.events.usage import MeteredUsage, Usage
from callsheet.kit.json import cleaned, encode
from callsheet.llm.usage.dialect import UsageDialect
from callsheet.llm.usage.estimated import last_known, salvaged
from callsheet.llm.usage.read import read
from callsheet.llm.usage.registry import FORMS

_MOST_KEPT_BYTES: Final = 16_384


def metered(
    raw: Any, estimate: Usage, dialect: UsageDialect = "openai", *, final: bool = True
) -> MeteredUsage:
    """What a call used: the provider's counts as its dialect means them, else an estimate.

    `raw` is the usage object, of a stream the folded one; None: none came. `estimate` is what the
    words of prompt and answer amount to. `final` is False where the answer broke off, or went on
    after the usage object, so that it may not be the last. The object is kept as it came, but for
    characters that the database cannot hold; one that is too long is replaced by its length.
    """
    form = FORMS[dialect]
    kept = _kept(raw)
    reading = read(raw, form)
    if reading is None or (not reading.usage.total_tokens and estimate.output_tokens):
        # Nothing at all for an answer that has words is a missing count, not a free call.
        usage, method = salvaged(raw, form, estimate)
        return MeteredUsage(usage=usage, source="estimated", raw=kept, method=method)
    if not final:
        return last_known(kept, reading, estimate)
    return MeteredUsage(
        usage=reading.usage, source="provider", raw=kept, cache_type=reading.cache_type
    )


def _kept(raw: Any) -> Any:
    if raw is None:
        return None
    size = len(encode(raw))
    return cleaned(raw) if size <= _MOST_KEPT_BYTES else {"dropped_bytes": size}
