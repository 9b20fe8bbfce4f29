"""What is counted of model calls, and what is warned of once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from callsheet.events.call import LlmCallFinished, LlmCallStarted
from callsheet.kit.log import get_log
from callsheet.kit.text import printable
from callsheet.llm.model import Model
from callsheet.llm.usage.unknown import unknown_keys
from callsheet.metrics.sums import Sums

_log = get_log(__name__)

_MODEL: Final = ("factory", "model")
_MOST_WARNED: Final = 1_000
_SHOWN_CHARS: Final = 100


class CallMetrics:
    """Told of each call when it has ended; adds up and never fails.

    `models` are those that can be called, by model code: what they are called upstream and in
    which dialect they tell usage. What a provider sends becomes no label.
    """

    def __init__(self, models: Mapping[str, Model]) -> None:
        self._models = models
        self._warned: set[tuple[str, ...]] = set()
        self.calls = Sums(
            "callsheet_llm_calls",
            "Model calls that ended, refused ones among them.",
            (*_MODEL, "status", "usage_source"),
        )
        self.refused = Sums(
            "callsheet_llm_refused_calls",
            "Model calls that a budget did not let begin.",
            (*_MODEL, "code"),
        )
        self.estimated = Sums(
            "callsheet_llm_estimated_usage",
            "Model calls whose tokens are estimated in whole or part, by the way it was done.",
            (*_MODEL, "method"),
        )
        self.unknown_keys = Sums(
            "callsheet_llm_unknown_usage_keys",
            "Keys of usage objects that the model's usage dialect does not know; the log has them.",
            _MODEL,
        )
        self.other_models = Sums(
            "callsheet_llm_other_model_answers",
            "Answers that name another model than the one that was asked; the log has both.",
            _MODEL,
        )
        self.tokens = Sums("callsheet_llm_tokens", "Tokens by kind.", (*_MODEL, "kind"))
        self.cost = Sums(
            "callsheet_llm_cost",
            "Cost in the accounting currency; the ledger has it exactly.",
            (*_MODEL, "currency"),
        )

    def all(self) -> tuple[Sums, ...]:
        """Every metric."""
        return (
            self.calls,
            self.refused,
            self.estimated,
            self.unknown_keys,
            self.other_models,
            self.tokens,
            self.cost,
        )

    def __call__(self, started: LlmCallStarted, finished: LlmCallFinished) -> None:
        """Count a call that has ended."""
        which = (started.factory, started.model)
        metered = finished.metered
        self.calls.add(*which, finished.status, metered.source)
        if finished.status == "refused":
            self.refused.add(*which, finished.error_code or "refused")
            return
        if metered.source == "estimated":
            self.estimated.add(*which, metered.method or "unknown")
        self._add_amounts(started, finished)
        model = self._models.get(started.model)
        if model is not None:
            self._look_at_keys(model, metered.raw)
            self._look_at_model(model, finished.response_model)

    def _add_amounts(self, started: LlmCallStarted, finished: LlmCallFinished) -> None:
        which, usage = (started.factory, started.model), finished.metered.usage
        for kind, tokens in (
            ("input", usage.input_tokens - usage.cached_tokens - usage.cache_write_tokens),
            ("cached", usage.cached_tokens),
            ("cache_write", usage.cache_write_tokens),
            ("output", usage.output_tokens - usage.reasoning_tokens),
            ("reasoning", usage.reasoning_tokens),
        ):
            if tokens:
                self.tokens.add(*which, kind, amount=tokens)
        self.cost.add(*which, started.currency, amount=finished.cost_exact)

    def _look_at_keys(self, model: Model, raw: object) -> None:
        found = unknown_keys(raw, model.usage_dialect)
        if not found:
            return
        self.unknown_keys.add(model.factory, model.model_code, amount=len(found))
        for key in found:
            named = _shown(key)
            if self._is_news("key", model.factory, named):
                _log.warning(
                    "usage_key_unknown",
                    factory=model.factory,
                    model=model.model_code,
                    key=named,
                    usage_dialect=model.usage_dialect,
                )

    def _look_at_model(self, model: Model, answered: str | None) -> None:
        if answered is None or answered == model.upstream_model:
            return
        self.other_models.add(model.factory, model.model_code)
        named = _shown(answered)
        if self._is_news("model", model.model_code, named):
            _log.warning(
                "answered_by_another_model",
                factory=model.factory,
                model=model.model_code,
                asked=model.upstream_model,
                answered=named,
            )

    def _is_news(self, *what: str) -> bool:
        """Whether it was not warned of before; a provider that makes things up is cut short."""
        if what in self._warned or len(self._warned) >= _MOST_WARNED:
            return False
        self._warned.add(what)
        return True


def _shown(text: str) -> str:
    """What a provider wrote, on one short line."""
    return " ".join(printable(text[:_SHOWN_CHARS]).split())
