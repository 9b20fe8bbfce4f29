"""What people made of a tool's arguments, held against the tool before its run begins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from callsheet.interrupts.answer import GivenAnswer
from callsheet.interrupts.interrupt import InterruptRecord
from callsheet.interrupts.judge import Given, misfitting
from callsheet.kit.ids import parse_uuid
from callsheet.tools.edited import wrong_field
from callsheet.tools.registry import ToolRegistry


class Edits:
    """Knows the tools. The interrupt's schema says the form, a tool's own record may want more."""

    def __init__(self, registry: ToolRegistry) -> None:
        self._registry = registry

    def check(self, known: Sequence[InterruptRecord], given: Given) -> None:
        """Raises BadInput, naming the field, where a tool would refuse what it is allowed to do."""
        by_id: dict[UUID | None, InterruptRecord] = {record.id: record for record in known}
        for each in given.answers:
            record = by_id.get(parse_uuid(each.interrupt_id))
            edited = _edited(each)
            tool = self._registry.find(record.tool or "") if record is not None else None
            if tool is None or edited is None:
                continue
            wrong = wrong_field(tool.Args, edited)
            if wrong is not None:
                path = "/".join(part for part in ("arguments", wrong.path) if part)
                raise misfitting(each.field, path, f"{path}: {wrong.why}")


def _edited(given: GivenAnswer) -> dict[str, Any] | None:
    """The arguments that somebody allows in the place of those that were asked for."""
    payload = given.answer.payload
    if given.answer.status != "resolved" or not isinstance(payload, dict):
        return None
    edited = payload.get("arguments") if payload.get("approved") is True else None
    return edited if isinstance(edited, dict) else None
