"""A model as the product knows it: facts from config, address and key from the deployment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from callsheet.llm.usage.dialect import UsageDialect

Dialect = Literal["openai"]
Reasoning = Literal["off", "low", "medium", "high"]
StructuredOutput = Literal["none", "json_object", "json_schema"]


@dataclass(frozen=True, slots=True)
class Model:
    """One callable model.

    `model_code` is our unique name, `upstream_model` the provider's. `api_key` None: no
    Authorization header is sent (`auth: none`). `reasoning_switch` maps our reasoning levels
    to what is merged into the request body; `extra_body` is merged into every request.
    `structured_output`: which `response_format` the endpoint takes for an answer in JSON.
    `usage_dialect`: what the counts of its usage object mean. `asks_for_usage` False: the endpoint
    refuses `stream_options`. `litellm_provider` set: the call goes through LiteLLM.
    """

    model_code: str
    factory: str
    upstream_model: str
    base_url: str
    api_key: str | None = field(repr=False)
    dialect: Dialect = "openai"
    usage_dialect: UsageDialect = "openai"
    asks_for_usage: bool = True
    context_window_tokens: int = 32_768
    max_output_tokens: int = 4_096
    sees_images: bool = False
    native_tools: bool = True
    structured_output: StructuredOutput = "none"
    reasoning_switch: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    extra_body: Mapping[str, Any] = field(default_factory=dict)
    litellm_provider: str | None = None
    is_rehearsal: bool = False
