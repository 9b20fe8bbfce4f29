"""`quotas.yaml`: what may be spent, and how fast."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final, cast
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, Field, StringConstraints

from callsheet.kit.errors import ConfigError, Problem
from callsheet.kit.yaml import Document, Section, compose
from callsheet.kit.yaml_words import closest
from callsheet.kit.zone import zone_named
from callsheet.ledger.budget.limits import MONEY_DIGITS, MONEY_PLACES, MOST_COUNT, Limits, Override
from callsheet.ledger.rate.rates import ProviderRate, UserRate

FILE: Final = "quotas.yaml"


Zone = Annotated[str, AfterValidator(lambda name: zone_named(name).key)]
Amount = Annotated[
    Decimal, Field(ge=0, max_digits=MONEY_DIGITS + MONEY_PLACES, decimal_places=MONEY_PLACES)
]
Count = Annotated[int, Field(ge=0, le=MOST_COUNT)]
PerMinute = Annotated[int, Field(ge=1, le=10**12)]
AtOnce = Annotated[int, Field(ge=1, le=10_000)]
UserName = Annotated[str, StringConstraints(min_length=1, max_length=100)]


class BoundsEntry(Section):
    """The most of each; what is left out has no limit, or the one that holds for everybody."""

    synonyms: ClassVar[Mapping[str, str]] = {
        "money": "cost", "usd": "cost", "requests": "calls"
    }  # fmt: skip

    cost: Amount | None = Field(default=None, description="In the accounting currency.")
    tokens: Count | None = Field(default=None, description="Of input and output together.")
    calls: Count | None = Field(default=None, description="Requests to a provider.")


class UserLimitsEntry(Section):
    """Limits that can differ from user to user; null lifts one."""

    synonyms: ClassVar[Mapping[str, str]] = {
        "turn": "run", "day": "user_day", "month": "user_month", "daily": "user_day",
        "monthly": "user_month",
    }  # fmt: skip

    run: BoundsEntry = Field(default=BoundsEntry(), description="One turn.")
    session: BoundsEntry = Field(default=BoundsEntry(), description="A session, over all time.")
    user_day: BoundsEntry = Field(default=BoundsEntry(), description="A user in a day.")
    user_month: BoundsEntry = Field(default=BoundsEntry(), description="A user in a month.")

    def override(self) -> Override:
        """What was written, null included."""
        written = {
            scope: {name: _decimal(getattr(bounds, name)) for name in bounds.model_fields_set}
            for scope in self.model_fields_set
            if (bounds := getattr(self, scope)).model_fields_set
        }
        return cast(Override, written)


class LimitsEntry(UserLimitsEntry):
    """Limits of everybody."""

    deployment_day: BoundsEntry = Field(
        default=BoundsEntry(), description="All users together in a day."
    )


class UserRateEntry(Section):
    """How fast one user may go."""

    requests_per_minute: PerMinute | None = Field(default=None, description="Turns begun.")
    tokens_per_minute: PerMinute | None = Field(
        default=None, description="Of the last minute's calls; a turn begins when there are less."
    )
    concurrent_runs: AtOnce | None = Field(default=None, description="Turns at the same time.")


class ProviderRateEntry(Section):
    """How fast one factory of the catalog may be asked; calls wait for their turn."""

    requests_per_minute: PerMinute | None = None
    tokens_per_minute: PerMinute | None = Field(
        default=None, description="Estimated input and the most output."
    )
    concurrent_calls: AtOnce | None = None


class RatesEntry(Section):
    """How fast things may go, all processes together."""

    user: UserRateEntry = Field(default=UserRateEntry(), description="Each user.")
    providers: dict[str, ProviderRateEntry] = Field(
        default_factory=dict, description="By factory of the catalog."
    )


class QuotasFile(Section):
    """Budgets and rates of a deployment."""

    timezone: Zone = Field(default="UTC", description="Days and months are this zone's.")
    limits: LimitsEntry = Field(default=LimitsEntry(), description="For everybody.")
    users: dict[UserName, UserLimitsEntry] = Field(
        default_factory=dict, description="What differs for users, by name."
    )
    rates: RatesEntry = Field(default=RatesEntry())


@dataclass(frozen=True, slots=True)
class QuotaSettings:
    """What the file says; `users` are the differences by user name."""

    zone: ZoneInfo
    limits: Limits = field(default_factory=Limits)
    users: Mapping[str, Override] = field(default_factory=dict)
    user_rate: UserRate = field(default_factory=UserRate)
    provider_rates: Mapping[str, ProviderRate] = field(default_factory=dict)


def load_quotas(path: Path, factories: Collection[str] | None = None) -> QuotaSettings:
    """The file's content, held against the catalog's factories where these are given.

    A folder of the time before there were quotas has no such file: then nothing is limited.

    Raises:
        ConfigError: every problem of the file.
    """
    if not path.exists():
        return QuotaSettings(ZoneInfo("UTC"))
    salvage = compose(path).salvage(QuotasFile)
    problems = list(salvage.problems)
    if salvage.value is not None and factories is not None:
        problems += _unknown(salvage.document, salvage.value, factories)
    if problems or salvage.value is None:
        raise ConfigError(sorted(problems, key=lambda one: (one.line, one.column)))
    return _settings(salvage.value)


def _unknown(
    document: Document, quotas: QuotasFile, factories: Collection[str]
) -> Iterator[Problem]:
    for factory in quotas.rates.providers:
        if factory not in factories:
            place = ("rates", "providers", factory)
            message = f"no factory is called {factory!r}"
            yield document.problem(place, message, closest(factory, factories), of_key=True)


def _settings(quotas: QuotasFile) -> QuotaSettings:
    rates = quotas.rates
    return QuotaSettings(
        zone=ZoneInfo(quotas.timezone),
        limits=Limits().but(quotas.limits.override()),
        users={name: entry.override() for name, entry in quotas.users.items()},
        user_rate=UserRate(**rates.user.model_dump()),
        provider_rates={
            name: ProviderRate(**entry.model_dump()) for name, entry in rates.providers.items()
        },
    )


def _decimal(amount: Any) -> Decimal | None:
    return None if amount is None else Decimal(amount)
