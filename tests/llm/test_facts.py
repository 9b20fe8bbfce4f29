"""Facts about models, and the model that they make with an address and a key."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from callsheet.kit.errors import ConfigError
from callsheet.kit.places import shipped
from callsheet.llm.facts import ModelFacts, load_facts
from callsheet.llm.key import key_variable
from callsheet.llm.model import Model


def test_the_shipped_facts_make_models() -> None:
    facts = load_facts(shipped("config") / "models.yaml")

    model = facts["deepseek-v3.2"].model(
        "deepseek-v3.2", factory="deepseek", base_url="https://x/v1", api_key="secret"
    )

    assert model == Model(
        model_code="deepseek-v3.2",
        factory="deepseek",
        upstream_model="deepseek-chat",
        base_url="https://x/v1",
        api_key="secret",
        usage_dialect="deepseek",
        context_window_tokens=131_072,
        max_output_tokens=8_192,
        structured_output="json_object",
        reasoning_switch={
            "off": {"thinking": {"type": "disabled"}},
            "low": {"thinking": {"type": "enabled"}},
            "medium": {"thinking": {"type": "enabled"}},
            "high": {"thinking": {"type": "enabled"}},
        },
    )
    assert facts["rehearsal"].factory == "rehearsal"
    assert facts["smollm2"].factory == "local"


def test_an_endpoint_without_a_key_is_sent_none() -> None:
    model = ModelFacts(auth="none").model("m", factory="f", base_url="u", api_key="secret")

    assert (model.api_key, model.upstream_model) == (None, "m")


def test_a_dialect_of_usage_is_configured_and_else_that_of_the_way_the_call_goes() -> None:
    def of(**facts: Any) -> Model:
        return ModelFacts(**facts).model("m", factory="f", base_url="u", api_key="secret")

    assert of().usage_dialect == "openai"
    assert of(litellm_provider="anthropic").usage_dialect == "litellm"
    assert of(litellm_provider="anthropic", usage_dialect="openai").usage_dialect == "openai"
    assert of(usage_dialect="gemini").usage_dialect == "gemini"
    assert of().asks_for_usage
    assert not of(asks_for_usage=False).asks_for_usage


def test_every_mistake_is_told(tmp_path: Path) -> None:
    path = tmp_path / "models.yaml"
    path.write_text("models:\n  a: {dialect: openia, max_output_tokens: 40000}\n  b: {auth: no}\n")

    with pytest.raises(ConfigError) as caught:
        load_facts(path)

    assert [str(problem).removeprefix(str(path)) for problem in caught.value.problems] == [
        ":2:16: 'openia' is not one of openai (did you mean 'openai'?)",
        ":2:43: leaves no room in the context window of 32768",
        ":3:13: 'no' is not one of key, none (did you mean 'none'?)",
    ]


def test_a_factory_names_the_variable_of_its_key() -> None:
    assert key_variable("my-vllm.local") == "CALLSHEET_LLM__MY_VLLM_LOCAL__API_KEY"
