"""What a provider's refusal means, read from its status and its error object.

Providers agree on neither: the tables below hold the words that were found in their
documentation. The provider's own text is read for those words and never handed on, since it may
repeat the prompt.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final

from callsheet.kit.json import decode
from callsheet.llm.errors import ProviderCode, ProviderError
from callsheet.llm.key import key_variable
from callsheet.llm.model import Model

_FILTER_WORDS: Final = (
    "content_filter",
    "content_policy",
    "data_inspection",
    "datainspection",
    "sensitive",
    "risk_control",
)
_CREDIT_WORDS: Final = (
    "insufficient_quota",
    "insufficient_balance",
    "arrearage",
    "exceeded_current_quota",
)
_LENGTH_WORDS: Final = ("context_length_exceeded", "context_length", "maximum context length")
_RATE_WORDS: Final = ("rate_limit", "too_many_requests", "throttling", "overloaded")
_AUTH_WORDS: Final = ("invalid_api_key", "authentication", "unauthorized", "permission_denied")

_IN_WORDS: Final[tuple[tuple[tuple[str, ...], ProviderCode, str], ...]] = (
    (_FILTER_WORDS, "content_filter", ""),
    (_CREDIT_WORDS, "provider_refused", "its account has no credit left"),
    (_RATE_WORDS, "provider_rate_limited", ""),
    (_LENGTH_WORDS, "provider_refused", "the request is longer than its context window"),
    (_AUTH_WORDS, "provider_refused", "its key is not accepted"),
)

# MiniMax answers 200 and puts its own number into `base_resp`.
_MINIMAX: Final[Mapping[int, ProviderCode]] = {
    1000: "provider_error",
    1001: "provider_timeout",
    1002: "provider_rate_limited",
    1013: "provider_error",
    1024: "provider_error",
    1026: "content_filter",
    1027: "content_filter",
    1033: "provider_error",
    1039: "provider_rate_limited",
}

SAYS: Final[Mapping[ProviderCode, str]] = {
    "provider_unreachable": "could not be reached",
    "provider_rate_limited": "asked to slow down",
    "provider_error": "failed",
    "provider_refused": "refused the request",
    "provider_timeout": "took too long",
    "provider_cut": "broke its answer off",
    "provider_malformed": "sent something that is not an answer",
    "provider_empty": "sent an empty answer",
    "content_filter": "stopped the answer by its content filter",
}


@dataclass(frozen=True, slots=True)
class Failure:
    """Why there is no (whole) answer. `detail` is in our words and may be shown."""

    code: ProviderCode
    detail: str = ""
    http_status: int | None = None
    retry_after_s: float | None = None

    def error(self, model: Model, *, answered: bool) -> ProviderError:
        """As it is raised, naming the factory and the model."""
        detail = f": {self.detail}" if self.detail else ""
        return ProviderError(
            f"{model.factory} ({model.model_code}) {SAYS[self.code]}{detail}",
            code=self.code,
            answered=answered,
            retry_after_s=self.retry_after_s,
            http_status=self.http_status,
        )


def of_response(
    model: Model, status: int, headers: Mapping[str, str], body: bytes, now: datetime
) -> Failure:
    """What an HTTP status other than success means."""
    try:
        parsed = decode(body)
    except ValueError:
        parsed = None
    words = _words(parsed)
    wait_s = retry_after_s(headers, now)
    if _any(_FILTER_WORDS, words):
        return Failure("content_filter", http_status=status)
    if status == 429 and not _any(_CREDIT_WORDS, words):
        return Failure("provider_rate_limited", "HTTP 429", status, wait_s)
    if status == 408:
        return Failure("provider_timeout", "HTTP 408", status, wait_s)
    if status >= 500:
        return Failure("provider_error", f"HTTP {status}", status, wait_s)
    return Failure("provider_refused", _refusal(model, status, words), status)


def of_error_object(chunk: Mapping[str, Any]) -> Failure | None:
    """What an error object inside an answer means; None where there is none."""
    base = chunk.get("base_resp")
    number = base.get("status_code") if isinstance(base, Mapping) else None
    if isinstance(number, int) and number:
        return Failure(_MINIMAX.get(number, "provider_refused"), f"its code {number}")
    error = chunk.get("error")
    if not error:
        return None
    words, status = _words(chunk), _status_in(error)
    for known, code, detail in _IN_WORDS:
        if _any(known, words):
            return Failure(code, detail, status)
    if status == 429:
        return Failure("provider_rate_limited", "", status)
    if status is not None and 400 <= status < 500:
        return Failure("provider_refused", f"code {status}", status)
    return Failure("provider_error", "it reported an error inside its answer", status)


def retry_after_s(headers: Mapping[str, str], now: datetime) -> float | None:
    """The seconds that `Retry-After` asks for, as a number or a date; None where it does not."""
    raw = headers.get("Retry-After") or headers.get("retry-after")
    if not raw:
        return None
    try:
        seconds = float(raw)
    except ValueError:
        pass
    else:
        return max(0.0, seconds) if seconds < float("inf") else None
    try:
        moment = parsedate_to_datetime(raw)
    except (ValueError, TypeError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - now).total_seconds())


def _refusal(model: Model, status: int, words: str) -> str:
    if status in {401, 403}:
        variable = key_variable(model.factory)
        return f"HTTP {status}, set {variable} to a key that may use {model.upstream_model!r}"
    if _any(_CREDIT_WORDS, words) or status == 402:
        return f"HTTP {status}, its account has no credit left"
    if _any(_LENGTH_WORDS, words) or status == 413:
        return f"HTTP {status}, the request is longer than it takes"
    if status == 404:
        return f"HTTP 404, there is no model {model.upstream_model!r} at {model.base_url}"
    if 300 <= status < 400:
        return f"HTTP {status}, it redirects, which is not followed: correct its request_url"
    return f"HTTP {status}"


def _words(parsed: Any) -> str:
    """Code, type and message of an error object, in small letters, to be searched only."""
    found: list[str] = []
    for place in (parsed, parsed.get("error") if isinstance(parsed, Mapping) else None):
        if isinstance(place, str):
            found.append(place)
        elif isinstance(place, Mapping):
            found += [str(place.get(key) or "") for key in ("code", "type", "message")]
    return " ".join(found).lower()


def _any(words: tuple[str, ...], text: str) -> bool:
    return any(word in text for word in words)


def _status_in(error: Any) -> int | None:
    if not isinstance(error, Mapping):
        return None
    for key in ("code", "status"):
        value = error.get(key)
        if isinstance(value, str) and value.isdigit():
            value = int(value)
        if isinstance(value, int) and 100 <= value < 600:
            return value
    return None
