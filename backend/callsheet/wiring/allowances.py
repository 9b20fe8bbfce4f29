"""What may be spent and how fast, as `quotas.yaml` says."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from callsheet.auth.principal import user_id_of
from callsheet.ledger.budget.quotas import QuotaRules, Quotas
from callsheet.ledger.budget.quotas_file import load_quotas
from callsheet.ledger.rate.rates import ProviderRate, UserRate


@dataclass(frozen=True, slots=True)
class Allowances:
    """What may be spent and how fast."""

    quotas: Quotas
    user_rate: UserRate
    provider_rates: Mapping[str, ProviderRate]


def make_allowances(file: Path, factories: Iterable[str]) -> Allowances:
    """The limits and rates of `quotas.yaml`.

    Raises:
        ConfigError: every problem of the file.
    """
    read = load_quotas(file, tuple(factories))
    users = {user_id_of(name): override for name, override in read.users.items()}
    quotas = Quotas(QuotaRules(read.zone, read.limits, users))
    return Allowances(quotas, read.user_rate, read.provider_rates)
