"""The facts about each model, from `models.yaml`; addresses and keys come from elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final, Literal

from pydantic import AfterValidator, Field, StringConstraints

from callsheet.kit.errors import ConfigError, Problem
from callsheet.kit.yaml import Document, Salvage, Section, compose
from callsheet.llm.model import Dialect, Model, Reasoning, StructuredOutput
from callsheet.llm.usage.dialect import UsageDialect

_OURS: Final = frozenset({"model", "messages", "stream", "stream_options", "tools"})


def _body(value: dict[str, Any]) -> dict[str, Any]:
    if taken := sorted(_OURS & value.keys()):
        raise ValueError(f"{', '.join(taken)} cannot be set here: every request has its own")
    return value


Word = Annotated[str, StringConstraints(min_length=1, max_length=100, pattern=r"^\S(.*\S)?$")]
Body = Annotated[dict[str, Any], AfterValidator(_body)]
Tokens = Annotated[int, Field(ge=1, le=100_000_000)]


class ModelFacts(Section):
    """What is true of a model wherever it is called. Every key may be left out."""

    synonyms: ClassVar[Mapping[str, str]] = {
        "max_tokens": "max_output_tokens",
        "context_window": "context_window_tokens",
        "provider": "litellm_provider",
        "vision": "sees_images",
        "model": "upstream_model",
        "include_usage": "asks_for_usage",
    }

    factory: Word | None = Field(
        default=None, description="Only for a model that is in no catalog (rehearsal, local)."
    )
    request_url: Word | None = Field(
        default=None, description="Only for a model that is in no catalog: its endpoint's address."
    )
    upstream_model: Word | None = Field(
        default=None, description="The provider's name for it, where it is not ours."
    )
    auth: Literal["key", "none"] = Field(
        default="key", description="none: the endpoint needs no key and is sent none."
    )
    dialect: Dialect = "openai"
    usage_dialect: UsageDialect | None = Field(
        default=None,
        description="What the counts of its usage object mean. Unset: openai, or litellm where "
        "the call goes through LiteLLM.",
    )
    asks_for_usage: bool = Field(
        default=True,
        description="false: the endpoint refuses stream_options; what it does not report by "
        "itself is estimated.",
    )
    context_window_tokens: Tokens = 32_768
    max_output_tokens: Tokens = 4_096
    sees_images: bool = False
    native_tools: bool = True
    structured_output: StructuredOutput = Field(
        default="none", description="Which response_format the endpoint takes."
    )
    reasoning_switch: dict[Reasoning, Body] = Field(
        default_factory=dict, description="Per reasoning level, what is added to the request."
    )
    extra_body: Body = Field(default_factory=dict, description="Added to every request.")
    litellm_provider: Word | None = Field(
        default=None, description="Set: the call goes through LiteLLM, under this provider."
    )

    def model(self, model_code: str, *, factory: str, base_url: str, api_key: str | None) -> Model:
        """The callable model. The key is left out where the endpoint needs none."""
        return Model(
            model_code=model_code,
            factory=factory,
            upstream_model=self.upstream_model or model_code,
            base_url=base_url,
            api_key=None if self.auth == "none" else api_key,
            dialect=self.dialect,
            usage_dialect=self.usage_dialect or self._usual_dialect(),
            asks_for_usage=self.asks_for_usage,
            context_window_tokens=self.context_window_tokens,
            max_output_tokens=self.max_output_tokens,
            sees_images=self.sees_images,
            native_tools=self.native_tools,
            structured_output=self.structured_output,
            reasoning_switch={str(level): body for level, body in self.reasoning_switch.items()},
            extra_body=self.extra_body,
            litellm_provider=self.litellm_provider,
        )

    def _usual_dialect(self) -> UsageDialect:
        return "openai" if self.litellm_provider is None else "litellm"


class ModelsFile(Section):
    """The content of `models.yaml`: facts by model_code."""

    models: dict[Word, ModelFacts]


def load_facts(path: Path) -> Mapping[str, ModelFacts]:
    """The facts by model_code.

    Raises:
        ConfigError: every problem of the file.
    """
    salvage = salvage_facts(path)
    if salvage.problems or salvage.value is None:
        raise ConfigError(salvage.problems)
    return salvage.value.models


def salvage_facts(path: Path) -> Salvage[ModelsFile]:
    """What is valid in the file, and every problem.

    Raises:
        ConfigError: it cannot be read or is not YAML.
    """
    salvage = compose(path).salvage(ModelsFile)
    models = salvage.value.models if salvage.value else {}
    found = (*salvage.problems, *_windows(salvage.document, models))
    in_order = sorted(found, key=lambda one: (one.line, one.column))
    return Salvage(salvage.value, salvage.document, tuple(in_order))


def _windows(document: Document, models: Mapping[str, ModelFacts]) -> Iterator[Problem]:
    for code, facts in models.items():
        if facts.max_output_tokens >= facts.context_window_tokens:
            message = f"leaves no room in the context window of {facts.context_window_tokens}"
            yield document.problem(("models", code, "max_output_tokens"), message)
