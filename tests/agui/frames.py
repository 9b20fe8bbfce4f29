"""Frames as a client reads them, and a judge that knows the protocol's own models."""

from __future__ import annotations

import json
from typing import Any, get_args

import ag_ui.core
from pydantic import BaseModel, ConfigDict, TypeAdapter

_MODELS: dict[str, type[BaseModel]] = {
    model.model_fields["type"].default.value: model
    for model in get_args(get_args(ag_ui.core.Event)[0])
}


def read_frames(data: bytes) -> list[tuple[str | None, dict[str, Any]]]:
    """Each frame's id and event; comments are left out. Refuses anything but LF framing."""
    text = data.decode()
    assert "\r" not in text
    assert text == "" or text.endswith("\n\n")
    frames = []
    for block in text.split("\n\n")[:-1]:
        lines = block.split("\n")
        if lines[0].startswith(":"):
            continue
        identity = lines.pop(0).removeprefix("id: ") if lines[0].startswith("id: ") else None
        assert len(lines) == 1, block
        assert lines[0].startswith("data: ")
        frames.append((identity, json.loads(lines[0].removeprefix("data: "))))
    return frames


def check_event(event: dict[str, Any]) -> None:
    """Fail unless the protocol's own model takes the event as it is: no unknown field, no null."""
    model = _MODELS[event["type"]]
    strict = type(
        model.__name__, (model,), {"model_config": ConfigDict(extra="forbid"), "__module__": "x"}
    )
    parsed: BaseModel = TypeAdapter(strict).validate_python(event)
    assert parsed.model_dump(mode="json", by_alias=True, exclude_none=True) == event
    for entry in event.get("usage", []):
        known = {field.alias or name for name, field in ag_ui.core.TokenUsage.model_fields.items()}
        assert set(entry) <= known


def essence(event: dict[str, Any]) -> dict[str, Any]:
    """The event without what every event has: its time and the trace id."""
    rest = {name: value for name, value in event.items() if name not in ("timestamp", "metadata")}
    metadata = event["metadata"]
    own = {name: value for name, value in metadata["callsheet"].items() if name != "traceId"}
    others = {name: value for name, value in metadata.items() if name != "callsheet"}
    if own:
        rest["callsheet"] = own
    if others:
        rest["metadata"] = others
    return rest
