"""What a tool may say of itself beside what it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypedDict


class Traits(TypedDict, total=False):
    """The optional attributes of a tool, for those that are made from functions.

    `name` and `description` are otherwise the function's name and its docstring; the rest is as
    `ToolFacts` says. `timeout_s`: for one call, where `tools.yaml` says none.
    """

    name: str
    description: str
    group: str
    label: Mapping[str, str]
    summary: str
    idempotent: bool
    side_effect: str | None
    requires_approval: bool
    instructions: str | None
    timeout_s: float | None
