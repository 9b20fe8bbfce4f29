"""The JSON body of a request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from callsheet.llm.chat import ChatRequest


def body_of(request: ChatRequest) -> dict[str, Any]:
    """What is asked, with the model's own additions merged in.

    Later wins: our fields, then `extra_body`, then the reasoning switch; a null there takes a
    field out. Model, messages and the wish for usage are ours in any case; an endpoint that
    refuses the wish is not told it.
    """
    model = request.model
    body: dict[str, Any] = {"max_tokens": _cap(request)}
    if request.temperature is not None:
        body["temperature"] = request.temperature
    if request.tools:
        body["tools"] = list(request.tools)
    if request.response_format is not None:
        body["response_format"] = dict(request.response_format)
    body = merged(body, model.extra_body)
    if request.reasoning is not None:
        body = merged(body, model.reasoning_switch.get(request.reasoning, {}))
    body["model"] = model.upstream_model
    body["messages"] = list(request.messages)
    body["stream"] = request.stream
    if request.stream and model.asks_for_usage:
        body["stream_options"] = {**(body.get("stream_options") or {}), "include_usage": True}
    return body


def merged(base: Mapping[str, Any], extra: Mapping[str, Any]) -> dict[str, Any]:
    """`base` with `extra` over it, objects within objects merged; a null removes its key."""
    result = dict(base)
    for key, value in extra.items():
        below = result.get(key)
        if value is None:
            result.pop(key, None)
        elif isinstance(value, Mapping):
            result[key] = merged(below if isinstance(below, Mapping) else {}, value)
        else:
            result[key] = value
    return result


def _cap(request: ChatRequest) -> int:
    cap = request.model.max_output_tokens
    return min(cap, request.max_output_tokens) if request.max_output_tokens else cap
