"""A task's texts with its inputs: instructions the author wrote, data as blocks beside them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from callsheet.kit.json import encode
from callsheet.workflows.marks import fill
from callsheet.workflows.workflow import TaskSpec

_ABSENT: Final = object()


@dataclass(frozen=True, slots=True)
class DataBlock:
    """One input's value: text that a model reads and takes no orders from."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class ResolvedTask:
    """What goes to the model. No block's text is in `description` or `expected_output`."""

    description: str
    expected_output: str
    blocks: tuple[DataBlock, ...]


def resolve(task: TaskSpec, variables: Mapping[str, Any]) -> ResolvedTask:
    """The task's texts and data, from `TurnView.variables()`.

    A mark of an input that is data becomes `<name>`, the name of its block; one that is text
    becomes the value itself. A value that is absent is empty.
    """
    values = {name: _text(lookup(source, variables)) for name, source in task.inputs.items()}
    instead = {
        name: value if name in task.inline_inputs else f"<{name}>" for name, value in values.items()
    }
    return ResolvedTask(
        description=fill(task.description, instead),
        expected_output=fill(task.expected_output, instead),
        blocks=tuple(
            DataBlock(name, value)
            for name, value in values.items()
            if name not in task.inline_inputs
        ),
    )


def render(blocks: Sequence[DataBlock]) -> str:
    """The blocks as the text of one message; empty where there are none.

    A tag of one of the blocks inside a value is made harmless, so that no value can close its
    block or open another.
    """
    if not blocks:
        return ""
    names = "|".join(re.escape(block.name) for block in blocks)
    # Possessive, so that a "<" before a page of spaces is looked at once.
    tag = re.compile(rf"<(?=\s*+/?+\s*+(?:{names})\b)", re.IGNORECASE)
    return "\n\n".join(
        f"<{block.name}>\n{tag.sub('&lt;', block.text)}\n</{block.name}>" for block in blocks
    )


def lookup(source: str, variables: Mapping[str, Any]) -> Any:
    """The variable's value; None where it is absent."""
    value: Any = variables
    for step in source.split("."):
        value = value.get(step, _ABSENT) if isinstance(value, Mapping) else _ABSENT
        if value is _ABSENT:
            return None
    return value


def _text(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else encode(value).decode()
