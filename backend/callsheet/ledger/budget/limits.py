"""What may be spent: money, tokens and calls, per run, session, user and deployment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from types import MappingProxyType
from typing import Final, Literal, TypeAlias, get_args

Scope: TypeAlias = Literal["run", "session", "user_day", "user_month", "deployment_day"]
Measure: TypeAlias = Literal["cost", "tokens", "calls"]

SCOPES: Final[tuple[Scope, ...]] = get_args(Scope)
MEASURES: Final[tuple[Measure, ...]] = get_args(Measure)
OF_USER: Final[tuple[Scope, ...]] = ("run", "session", "user_day", "user_month")
"""The scopes that can differ from user to user."""

MONEY_DIGITS: Final = 10
"""The most digits before the point that a limit of money has, wherever it is written."""
MONEY_PLACES: Final = 8
MOST_COUNT: Final = 10**15
"""The largest limit of tokens or calls."""

Bounds: TypeAlias = Mapping[Measure, Decimal]
"""The most of each measure; one that is left out has no limit."""

Override: TypeAlias = Mapping[Scope, Mapping[Measure, Decimal | None]]
"""What differs for one user. None lifts a limit; what is left out holds as it is."""

_NONE: Final[Bounds] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits that hold for one user. Money is in the accounting currency."""

    bounds: Mapping[Scope, Bounds] = field(default_factory=dict)

    @property
    def scopes(self) -> tuple[Scope, ...]:
        """The scopes that have any limit, in their fixed order."""
        return tuple(scope for scope in SCOPES if self.bounds.get(scope))

    def of(self, scope: Scope) -> Bounds:
        """The limits of one scope."""
        return self.bounds.get(scope, _NONE)

    def extended(self, scope: Scope, times: int) -> Limits:
        """The limits with one scope's granted so many times more."""
        if not times or scope not in self.bounds:
            return self
        more = {measure: most * (1 + times) for measure, most in self.of(scope).items()}
        return Limits({**self.bounds, scope: more})

    def but(self, override: Override) -> Limits:
        """The limits with one user's differences."""
        changed: dict[Scope, Bounds] = dict(self.bounds)
        for scope, amounts in override.items():
            merged: dict[Measure, Decimal | None] = {**self.of(scope), **amounts}
            changed[scope] = {measure: most for measure, most in merged.items() if most is not None}
        return Limits(changed)
