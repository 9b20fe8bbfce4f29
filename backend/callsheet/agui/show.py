"""What of models and money clients may see."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

_NAMES_MODELS: Final = ("provider_", "model_", "unpriced", "content_filter", "rate_limited")
_NAMES_MONEY: Final = ("budget_", "quota_", "unpriced")


@dataclass(frozen=True, slots=True)
class ShowOptions:
    """Whether clients see what things cost (`costs`), and which models and providers answer.

    Tokens, times and the number of calls are always seen.
    """

    costs: bool = True
    models: bool = True

    @property
    def everything(self) -> bool:
        """Whether nothing is hidden."""
        return self.costs and self.models

    def hides(self, code: str) -> bool:
        """Whether the message of an error of that code may name what is hidden."""
        return (not self.models and code.startswith(_NAMES_MODELS)) or (
            not self.costs and code.startswith(_NAMES_MONEY)
        )

    def told(self, code: str, message: str) -> str:
        """The message of an error as a client may read it."""
        if not self.hides(code):
            return message
        return _WITHOUT_NAMES.get(code, "The model gave no answer.")


_WITHOUT_NAMES: Final = {
    "budget_spent": "The budget is spent.",
    "content_filter": "The answer was filtered.",
    "rate_limited": "Too many requests.",
    "provider_rate_limited": "The model is asked too often.",
    "provider_timeout": "The model did not answer in time.",
    "provider_cut": "The model's answer broke off.",
}

SHOW_EVERYTHING: Final = ShowOptions()
