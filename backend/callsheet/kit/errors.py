"""The one error tree. Each branch says who must act.

AppError                     has a stable `code` and an HTTP `status`; `str(error)` may be shown
├── BadInput          422    the caller: names the field
│   ├── TooLarge      413
│   ├── TooSlow       408
│   └── NotAllowedType 415
├── Unauthorized      401    the caller: no valid identity
├── Forbidden         403    the caller: known, and not allowed to do this
├── NotFound          404    not there, or another user's
├── Conflict          409    the state forbids it now
├── Refused                  admission said no
│   ├── RateLimited   429
│   ├── QuotaSpent    402
│   └── Unpriced      422    the model has no valid price
├── Unavailable       503    something we depend on is away: says which
├── TimedOut          504    a deadline passed
└── TurnFailed        500    a stage ended without a result
SetupError                   the operator: found at start, never in a turn
└── ConfigError              the author: every problem of the YAML at once
ToolRetry                    the model: it may mend its call
ToolFailed                   the model: it must live with it
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar


class AppError(Exception):
    """An expected failure that a caller can be told about.

    `extra` goes into the problem document beside `code` and `detail`; it holds no secrets.
    """

    code: ClassVar[str] = "error"
    status: ClassVar[int] = 500

    def __init__(self, message: str, **extra: Any) -> None:
        super().__init__(message)
        self.extra: Mapping[str, Any] = extra
        self.code_override: str | None = extra.pop("code", None)

    @property
    def error_code(self) -> str:
        """The stable code of this very error: its own, else its class's."""
        return self.code_override or self.code


class BadInput(AppError):
    """The request is wrong; `field` names where."""

    code = "invalid"
    status = 422


class TooLarge(BadInput):
    """A body or a text over its limit; the message names the limit."""

    code = "too_large"
    status = 413


class NotAllowedType(BadInput):
    """A media type that is not taken here."""

    code = "type_not_allowed"
    status = 415


class TooSlow(BadInput):
    """A body that did not come in time."""

    code = "body_too_slow"
    status = 408


class Unauthorized(AppError):
    """No valid identity."""

    code = "unauthorized"
    status = 401


class Forbidden(AppError):
    """A known caller without the right; never for another user's things, which are NotFound."""

    code = "forbidden"
    status = 403


class NotFound(AppError):
    """Not there, or another user's: the two look alike on purpose."""

    code = "not_found"
    status = 404


class Conflict(AppError):
    """The present state forbids it."""

    code = "conflict"
    status = 409


class JournalGone(AppError):
    """The run has ended so long ago that its events are no longer kept; its messages are."""

    code = "journal_gone"
    status = 410


class Refused(AppError):
    """Admission said no."""

    code = "refused"
    status = 403


class RateLimited(Refused):
    """Too many requests; `retry_after_s` says when to come back."""

    code = "rate_limited"
    status = 429


class QuotaSpent(Refused):
    """No money, tokens or calls left."""

    code = "budget_spent"
    status = 402


class Unpriced(Refused):
    """The model has no price row that is valid now, so that no call is made."""

    code = "unpriced"
    status = 422


class Unavailable(AppError):
    """A provider, store, sandbox or database is away; the message says which."""

    code = "unavailable"
    status = 503


class TimedOut(AppError):
    """A deadline passed."""

    code = "timed_out"
    status = 504


class TurnFailed(AppError):
    """A stage ended without a result; `code` says of what kind."""

    code = "turn_failed"
    status = 500


class SetupError(Exception):
    """Something is wrong with the installation or its settings; the message names the way out."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One mistake in a configuration file. Line and column count from 1; 0 where there is none."""

    file: str
    line: int
    column: int
    message: str
    suggestion: str | None = None

    def __str__(self) -> str:
        text = f"{self.file}:{self.line}:{self.column}: {self.message}"
        return f"{text} (did you mean {self.suggestion!r}?)" if self.suggestion else text


class ConfigError(SetupError):
    """Every problem that was found in the configuration, in file order."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("\n".join(str(problem) for problem in problems))
        self.problems = tuple(problems)


class ToolRetry(Exception):
    """The call was wrong; its message goes to the model, which may mend it."""


class ToolFailed(Exception):
    """The tool could not do it; its message goes to the model, which must live with it."""
