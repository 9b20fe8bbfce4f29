"""The variables of a turn: what rules may look at and tasks may take as input."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from callsheet.kit.yaml_words import closest

FIXED: Final[Mapping[str, tuple[str, ...]]] = {
    "message": ("text", "length"),
    "session": ("message_count", "mode"),
    "now": ("date", "iso"),
}
STAGES: Final = "stages"
_RESULT: Final = ("text", "output")
_FREE: Final = "message.text"


UNKNOWN: Final[Mapping[str, Any]] = MappingProxyType({})
"""The schema of a stage whose own mistakes hide it: anything may be asked of it."""


@dataclass(frozen=True, slots=True)
class Wrong:
    """Why there is no such variable."""

    message: str
    suggestion: str | None = None


@dataclass(frozen=True, slots=True)
class Scope:
    """What can be seen from one place of a workflow.

    `schemas` maps each stage that may be looked at to its output's JSON schema, None for free
    text; `all_stages` are the others too, None where nobody can say which there are.
    """

    schemas: Mapping[str, Mapping[str, Any] | None]
    all_stages: Sequence[str] | None = ()

    def wrong(self, path: Sequence[str], *, whole: bool = False) -> Wrong | None:
        """What is wrong with a variable; `whole`: groups of variables are one too."""
        head, rest = path[0], path[1:]
        if head == STAGES:
            return None if self.all_stages is None else self._wrong_stage(rest, whole=whole)
        if head not in FIXED:
            near = closest(head, (*FIXED, STAGES))
            return Wrong(f"there is no variable {head!r}", near and ".".join((near, *rest)))
        if not rest:
            return None if whole else self._incomplete(head, FIXED[head])
        if rest[0] not in FIXED[head] or len(rest) > 1:
            name = ".".join(path)
            known = [f"{head}.{field}" for field in FIXED[head]]
            return Wrong(f"there is no variable {name!r}", closest(name, known))
        return None

    def is_closed(self, source: str) -> bool:
        """Whether neither a user nor a model can put words of its own into the value."""
        path = source.split(".")
        if path[0] != STAGES:
            return source != _FREE
        if self.all_stages is None or self.schemas.get(path[1]) is UNKNOWN:
            return True
        whole = self.schemas.get(path[1]) or {}
        schema = schema_at(whole, path[3:]) if path[2] == "output" else None
        return schema is not None and (
            "enum" in schema
            or "const" in schema
            or schema.get("type") in ("boolean", "integer", "number")
        )

    def _wrong_stage(self, rest: Sequence[str], *, whole: bool) -> Wrong | None:
        if not rest:
            return Wrong("name the stage, like stages.intent.output")
        stage, field = rest[0], rest[1:]
        if stage not in self.schemas:
            if stage in (self.all_stages or ()):
                return Wrong(f"the stage {stage!r} has not run yet at this point")
            near = closest(stage, self.schemas)
            message = f"there is no stage {stage!r}"
            return Wrong(message, near and ".".join((STAGES, near, *field)))
        if not field:
            return None if whole else self._incomplete(f"{STAGES}.{stage}", _RESULT)
        if field[0] not in _RESULT or (field[0] == "text" and len(field) > 1):
            name = f"{STAGES}.{stage}.{'.'.join(field)}"
            known = [f"{STAGES}.{stage}.{each}" for each in _RESULT]
            return Wrong(f"there is no variable {name!r}", closest(name, known))
        return self._wrong_output(stage, field[1:]) if field[0] == "output" else None

    def _wrong_output(self, stage: str, inner: Sequence[str]) -> Wrong | None:
        schema = self.schemas[stage]
        prefix = f"{STAGES}.{stage}"
        if schema is None:
            message = f"the stage {stage!r} gives free text: its last task has no output_schema"
            return Wrong(message, f"{prefix}.text")
        for depth in range(1, len(inner) + 1):
            if schema_at(schema, inner[:depth]) is None:
                name = ".".join((prefix, "output", *inner[:depth]))
                above = schema_at(schema, inner[: depth - 1]) or {}
                known = [".".join((prefix, "output", *inner[: depth - 1], each))
                         for each in above.get("properties", {})]  # fmt: skip
                return Wrong(f"the output_schema knows no {name!r}", closest(name, known))
        return None

    def _incomplete(self, head: str, fields: Sequence[str]) -> Wrong:
        options = " or ".join(f"{head}.{field}" for field in fields)
        return Wrong(f"{head!r} is a group of variables: write {options}")


def schema_at(schema: Mapping[str, Any], inner: Sequence[str]) -> Mapping[str, Any] | None:
    """The schema of a value inside; {} where anything may stand, None where nothing can."""
    for step in inner:
        properties = schema.get("properties")
        if isinstance(properties, Mapping) and step in properties:
            schema = properties[step] if isinstance(properties[step], Mapping) else {}
            continue
        is_closed = isinstance(properties, Mapping) and not schema.get("additionalProperties")
        return None if is_closed or schema.get("type", "object") != "object" else {}
    return schema
