"""The page about budgets shows a file that is valid, and names every key."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import BaseModel

from callsheet.ledger.budget.limits import MEASURES, SCOPES
from callsheet.ledger.budget.quotas_file import (
    ProviderRateEntry,
    QuotasFile,
    UserRateEntry,
    load_quotas,
)
from tests.docs.pages import blocks, text_of

PAGE = text_of("docs/budgets.md")


def test_the_example_is_valid(tmp_path: Path) -> None:
    (example,) = blocks(PAGE, "yaml")
    (tmp_path / "quotas.yaml").write_text(example, "utf-8")
    settings = load_quotas(tmp_path / "quotas.yaml", ["qwen"])
    assert settings.limits.scopes == SCOPES
    assert settings.user_rate.is_limited
    assert settings.provider_rates["qwen"].is_limited


@pytest.mark.parametrize("entry", [QuotasFile, UserRateEntry, ProviderRateEntry])
def test_every_key_is_told(entry: type[BaseModel]) -> None:
    for name in entry.model_fields:
        assert f"`{name}`" in PAGE or f"{name}:" in PAGE, name


def test_every_scope_and_measure_is_told() -> None:
    for name in (*SCOPES, *MEASURES):
        assert f"`{name}`" in PAGE, name
