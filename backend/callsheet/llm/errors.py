"""What can go wrong at a provider, by what follows from it."""

from __future__ import annotations

from typing import Literal

from callsheet.kit.errors import Unavailable

ProviderCode = Literal[
    "provider_unreachable",
    "provider_rate_limited",
    "provider_error",
    "provider_refused",
    "provider_timeout",
    "provider_cut",
    "provider_malformed",
    "provider_empty",
    "content_filter",
]


class ProviderError(Unavailable):
    """One request failed.

    `answered`: bytes of an answer had arrived, so that the attempt is not repeated.
    `retry_after_s`: what the provider asked for, None where it did not.
    `http_status`: the provider's status, None where there was none. The message names the
    factory and the kind of failure, never the key, the prompt or the provider's body.
    """

    code = "provider_error"

    def __init__(
        self,
        message: str,
        *,
        code: ProviderCode,
        answered: bool = False,
        retry_after_s: float | None = None,
        http_status: int | None = None,
    ) -> None:
        super().__init__(message, code=code)
        self.answered = answered
        self.retry_after_s = retry_after_s
        self.http_status = http_status

    @property
    def retryable(self) -> bool:
        """Whether the same request may be sent again: nothing had arrived and it may help."""
        return not self.answered and self.error_code in {
            "provider_unreachable",
            "provider_rate_limited",
            "provider_error",
            "provider_timeout",
            "provider_empty",
        }
