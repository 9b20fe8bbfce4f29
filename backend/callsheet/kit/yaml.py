"""Strict YAML files: a schema's value, or every problem with file, line, column and suggestion."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Final, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from callsheet.kit.errors import ConfigError, Problem
from callsheet.kit.yaml_compose import compose_text
from callsheet.kit.yaml_nodes import (
    MappingNode,
    Node,
    Place,
    Position,
    ScalarNode,
    as_text,
    child,
    data,
    key_node,
    without_all,
)
from callsheet.kit.yaml_source import read_bytes, text_of
from callsheet.kit.yaml_words import closest, keys_at, said, synonyms_at

M = TypeVar("M", bound=BaseModel)

# A file with more is no edit that went wrong; each mistake is looked for in the whole file.
_MOST_TOLD: Final = 200
_TEXT_WANTED: Final = {"string_type", "string_sub_type", "literal_error", "enum"}


class Section(BaseModel):
    """A mapping in a YAML file: no unknown keys, nothing converted, never changed.

    `synonyms` maps what other tools call a key to what it is called here.
    """

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)
    synonyms: ClassVar[Mapping[str, str]] = {}


@dataclass(frozen=True, slots=True)
class Salvage(Generic[M]):
    """What is left of a file when every wrong value is taken out.

    `value` is None when nothing is. `document` holds the positions of what is left.
    """

    value: M | None
    document: Document
    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class Document:
    """One YAML file as a tree with positions. `file` is its name in problems."""

    file: str
    root: Node
    lines: tuple[str, ...]
    problems: tuple[Problem, ...] = ()

    def parse(self, model: type[M]) -> M:
        """The value; raises ConfigError with every problem."""
        salvage = self.salvage(model)
        if salvage.problems or salvage.value is None:
            raise ConfigError(salvage.problems)
        return salvage.value

    def salvage(self, model: type[M]) -> Salvage[M]:
        """What can be used, and every problem; for checks that go across files."""
        document, errors = self._validated(model)
        found = (*self.problems, *document._explained(model, errors))
        if isinstance(errors, list) and len(errors) > _MOST_TOLD:
            return Salvage(None, document, _in_order(found))
        while isinstance(errors, list):
            if not (left := document._less(errors)):
                return Salvage(None, document, _in_order(found))
            document, errors = left._validated(model)
        return Salvage(errors, document, _in_order(found))

    def at(self, place: Place, *, of_key: bool = False) -> Position:
        """Where the value (or its key) stands; of a place that is not there, the nearest above."""
        node, position = self.root, self.root.position
        for step in place:
            below = child(node, step)
            if below is None:
                break
            position = below.position
            if of_key and isinstance(node, MappingNode):
                position = node.entries[str(step)].position
            node = below
        return position

    def problem(
        self, place: Place, message: str, suggestion: str | None = None, *, of_key: bool = False
    ) -> Problem:
        """A problem with the value at `place`, or with its key."""
        position = self.at(place, of_key=of_key)
        return Problem(self.file, position.line, position.column, message, suggestion)

    def keys(self, place: Place = ()) -> tuple[str, ...]:
        """The keys of the mapping at `place`, valid or not; none where it is no mapping."""
        node = self.node(place)
        return tuple(node.entries) if isinstance(node, MappingNode) else ()

    def node(self, place: Place) -> Node | None:
        """The node at `place`; None where there is none."""
        node: Node | None = self.root
        for step in place:
            node = child(node, step) if node is not None else None
        return node

    def find(self, place: Place, needle: str) -> Position:
        """Where `needle` stands inside the text at `place`; the text's own position if nowhere."""
        node = self.node(place)
        if isinstance(node, ScalarNode):
            first = node.position.line
            for number, line in enumerate(self.lines[first - 1 : node.end_line], first):
                start = node.position.column - 1 if number == first else 0
                if (index := line.find(needle, start)) >= 0:
                    return Position(number, index + 1)
        return self.at(place)

    def inside(self, place: Place, line: int, column: int) -> Position:
        """Where line and column (from 1) of the text at `place` stand in the file.

        Exact in block text and in text of one line without escapes.
        """
        node = self.node(place)
        if not isinstance(node, ScalarNode):
            return self.at(place)
        if node.style in ("|", ">"):
            source = self.lines[node.position.line + line - 1]
            return Position(node.position.line + line, len(source) - len(source.lstrip()) + column)
        quote = 1 if node.style else 0
        return Position(node.position.line, node.position.column + quote + column - 1)

    def _validated(self, model: type[M]) -> tuple[Document, M | list[Any]]:
        """The value or the errors; and this document with text where the schema says text."""
        document = self
        while True:
            try:
                return document, model.model_validate_json(json.dumps(data(document.root)))
            except ValidationError as error:
                errors: list[Any] = error.errors(include_url=False)
            spelled = document._spelled(errors)
            if spelled is document:
                return document, errors
            document = spelled

    def _spelled(self, errors: list[Any]) -> Document:
        root = self.root
        for error in errors:
            place = self._place(error["loc"])
            node = self.node(place)
            wants_text = error["type"] in _TEXT_WANTED
            if wants_text and isinstance(node, ScalarNode) and _is_retyped(node):
                root = as_text(root, place)
        return self if root is self.root else replace(self, root=root)

    def _place(self, loc: tuple[str | int, ...]) -> Place:
        """Pydantic's location less what is no key or index here: names of a union's branches."""
        place: list[str | int] = []
        node: Node | None = self.root
        for step in loc:
            below = child(node, step) if node is not None else None
            if below is not None:
                place.append(step)
                node = below
        return tuple(place)

    def _explained(self, model: type[M], errors: M | list[Any]) -> list[Problem]:
        if not isinstance(errors, list):
            return []
        misspelt: set[Place] = set()
        problems: list[Problem] = []
        if (more := len(errors) - _MOST_TOLD) > 0:
            problems.append(self.problem((), f"and {more} more mistakes"))
        places = [self._place(error["loc"]) for error in errors]
        for error in sorted(errors[:_MOST_TOLD], key=lambda one: one["type"] == "missing"):
            place = self._place(error["loc"])
            if error["type"] == "too_short" and any(_is_below(other, place) for other in places):
                continue  # only since what is in it is wrong
            if error["type"] == "extra_forbidden":
                problem, meant = self._unknown_key(model, place)
                misspelt.add(meant)
                problems.append(problem)
            elif error["type"] == "missing":
                key = str(error["loc"][-1])
                if (*place, key) not in misspelt:
                    problems.append(self.problem(place, f"the key {key!r} is missing", of_key=True))
            else:
                of_key = "[key]" in error["loc"]
                node = key_node(place) if of_key else self.node(place)
                message, suggestion = said(error, node)
                problems.append(self.problem(place, message, suggestion, of_key=of_key))
        return problems

    def _unknown_key(self, model: type[M], place: Place) -> tuple[Problem, Place]:
        above, key = place[:-1], str(place[-1])
        known = set(keys_at(model, above))
        meant = synonyms_at(model, above).get(key) or closest(key, known - set(self.keys(above)))
        meant = meant or closest(key, known)
        problem = self.problem(place, f"unknown key {key!r}", meant, of_key=True)
        return problem, (*above, meant or "")

    def _less(self, errors: list[Any]) -> Document | None:
        """This document without what the errors are about; None when nothing would be left."""
        root = without_all(self.root, {self._place(error["loc"]) for error in errors})
        return None if root is None else replace(self, root=root)


def _is_below(place: Place, above: Place) -> bool:
    return len(place) > len(above) and place[: len(above)] == above


def compose(path: Path, shown: str | None = None) -> Document:
    """The file as a tree; `shown` is its name in problems, by default the path.

    Raises:
        ConfigError: it cannot be read or is not YAML.
    """
    name = shown or str(path)
    return compose_bytes(read_bytes(path, name), name)


def compose_bytes(raw: bytes, shown: str) -> Document:
    """`compose` of a file that has been read."""
    text = text_of(raw, shown)
    composed = compose_text(text, shown)
    return Document(shown, composed.root, tuple(text.split("\n")), composed.problems)


def _is_retyped(node: ScalarNode) -> bool:
    return node.value is not None and not isinstance(node.value, str)


def _in_order(problems: tuple[Problem, ...]) -> tuple[Problem, ...]:
    return tuple(sorted(set(problems), key=lambda one: (one.line, one.column)))
