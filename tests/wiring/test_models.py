"""Which model answers: the configured one, the rehearsal without any key, or a reason."""

from __future__ import annotations

import pytest

from callsheet.kit.errors import Unavailable
from callsheet.llm.rehearsal.model import REHEARSAL
from callsheet.wiring.models import ConfiguredModels
from tests.fakes.chat import OneModel

OWN = OneModel().get("own")
MISSING = {"keyed": "CALLSHEET_LLM__QWEN__API_KEY"}


def test_a_configured_model_is_itself() -> None:
    models = ConfiguredModels({"own": OWN}, MISSING, REHEARSAL)
    assert models.get("own") is OWN
    assert models.all() == {"own": OWN}
    assert not models.is_played("own")


def test_without_any_key_the_rehearsal_plays_the_models_that_need_one() -> None:
    models = ConfiguredModels({"own": OWN}, MISSING, REHEARSAL)
    assert models.get("keyed") is REHEARSAL
    assert models.is_played("keyed")
    assert models.is_played(REHEARSAL.model_code)


def test_with_another_key_a_model_without_its_own_is_refused_and_the_variable_named() -> None:
    models = ConfiguredModels({"own": OWN}, MISSING, None)
    assert not models.is_played("keyed")
    with pytest.raises(Unavailable, match="CALLSHEET_LLM__QWEN__API_KEY") as refused:
        models.get("keyed")
    assert refused.value.error_code == "model_without_key"


@pytest.mark.parametrize("rehearsal", [REHEARSAL, None])
def test_a_model_that_nobody_configured_is_refused(rehearsal: object) -> None:
    models = ConfiguredModels({"own": OWN}, MISSING, rehearsal)  # type: ignore[arg-type]
    with pytest.raises(Unavailable, match=r"not in config/models\.yaml") as refused:
        models.get("other")
    assert refused.value.error_code == "model_unknown"
