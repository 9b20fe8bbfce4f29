"""From the parser's events to a tree, with bounds on depth and on what aliases expand to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Final, NoReturn

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from callsheet.kit.errors import ConfigError, Problem
from callsheet.kit.yaml_nodes import (
    Entry,
    MappingNode,
    Node,
    Position,
    ScalarNode,
    SequenceNode,
    meaning,
)

MAX_DEPTH: Final = 32
MAX_NODES: Final = 20_000
_STR_TAG: Final = "tag:yaml.org,2002:str"
_MERGE: Final = "<<"


@dataclass(frozen=True, slots=True)
class Composed:
    """The tree, and what is wrong with it short of being no YAML at all."""

    root: Node
    problems: tuple[Problem, ...]


def compose_text(text: str, shown: str) -> Composed:
    """The one document of `text`.

    Raises:
        ConfigError: it is not YAML, empty, more than one document, or beyond the bounds.
    """
    composer = _Composer(shown, _events(text, shown))
    root = composer.document()
    return Composed(root, tuple(composer.problems))


def _events(text: str, shown: str) -> Iterator[Any]:
    try:
        yield from YAML(typ="safe", pure=True).parse(text)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (0, 0)
        raise ConfigError([Problem(shown, line, column, _plain_words(error))]) from error
    except (YAMLError, ValueError) as error:
        raise ConfigError([Problem(shown, 0, 0, f"is not YAML: {error}")]) from error


def _plain_words(error: MarkedYAMLError) -> str:
    said = str(error.problem or "")
    if "'\\t'" in said or "tab" in said:
        return "a tab stands where only spaces may: indent with spaces"
    if "mapping values are not allowed" in said:
        return "a ': ' inside unquoted text: put the whole value in quotes, or mend the indent"
    if "cannot start any token" in said:
        return f"{said.removeprefix('found ')}: put the value in quotes"
    if "end of stream" in said and "quoted" in str(error.context or ""):
        return "a quote is opened and never closed"
    context = f" ({error.context})" if error.context else ""
    return f"is not YAML: {said}{context}"


@dataclass(slots=True)
class _Composer:
    shown: str
    events: Iterator[Any]
    problems: list[Problem] = field(default_factory=list)
    anchors: dict[str, Node] = field(default_factory=dict)
    open_anchors: set[str] = field(default_factory=set)

    def document(self) -> Node:
        root: Node | None = None
        for event in self.events:
            if isinstance(event, DocumentStartEvent) and root is not None:
                self._stop(_position(event), "a second document begins; a file holds one")
            if isinstance(event, NodeEvent):
                root = self._node(event, 1)
        if root is None or (isinstance(root, ScalarNode) and root.text == "" and not root.style):
            self._stop(Position(1, 1), "the file is empty")
        return root

    def _node(self, event: Any, depth: int) -> Node:
        if depth > MAX_DEPTH:
            self._stop(_position(event), f"is nested more than {MAX_DEPTH} levels deep")
        if isinstance(event, AliasEvent):
            return self._aliased(event, depth)
        anchor = event.anchor
        if anchor:
            self.open_anchors.add(anchor)
        node = self._built(event, depth)
        if anchor:
            self.open_anchors.discard(anchor)
            self.anchors[anchor] = node
        return node

    def _aliased(self, event: Any, depth: int) -> Node:
        name = event.anchor
        if name in self.open_anchors:
            self._stop(_position(event), f"the alias *{name} stands inside its own anchor")
        node = self.anchors.get(name)
        if node is None:
            self._stop(_position(event), f"the alias *{name} has no anchor &{name} before it")
        if depth + node.height > MAX_DEPTH:
            self._stop(_position(event), f"is nested more than {MAX_DEPTH} levels deep")
        return node

    def _built(self, event: Any, depth: int) -> Node:
        self._check_tag(event)
        if isinstance(event, ScalarEvent):
            return _scalar(event)
        if isinstance(event, SequenceStartEvent):
            return self._sequence(event, depth)
        return self._mapping(event, depth)

    def _check_tag(self, event: Any) -> None:
        if event.tag not in (None, "!", _STR_TAG):
            self._note(_position(event), f"the tag {event.tag!r} is not used here")

    def _sequence(self, start: SequenceStartEvent, depth: int) -> Node:
        items: list[Node] = []
        size = 1
        for event in self.events:
            if isinstance(event, SequenceEndEvent):
                break
            items.append(self._node(event, depth + 1))
            size = self._grown(size, items[-1], start)
        height = 1 + max((item.height for item in items), default=0)
        return SequenceNode(_position(start), items, size, height)

    def _mapping(self, start: MappingStartEvent, depth: int) -> Node:
        entries: dict[str, Entry] = {}
        merges: list[Entry] = []
        size = 1
        for event in self.events:
            if isinstance(event, MappingEndEvent):
                break
            key = self._node(event, depth + 1)
            value = _placed(self._node(next(self.events), depth + 1), _position(event))
            entry = Entry(_position(event), value)
            size = self._grown(size, value, start)
            if not isinstance(key, ScalarNode):
                self._note(entry.position, "a key must be a word, not a list or a mapping")
            elif key.text == _MERGE and key.style is None:
                merges.append(entry)
            elif key.text in entries:
                first = entries[key.text].position.line
                message = f"the key {key.text!r} is doubled (first on line {first})"
                self._note(entry.position, message)
            else:
                entries[key.text] = entry
        for entry in merges:
            self._merge(entries, entry)
        height = 1 + max((entry.node.height for entry in entries.values()), default=0)
        return MappingNode(_position(start), entries, size, height)

    def _merge(self, entries: dict[str, Entry], merged: Entry) -> None:
        node = merged.node
        for source in node.items if isinstance(node, SequenceNode) else (node,):
            if not isinstance(source, MappingNode):
                self._note(merged.position, "'<<' merges mappings only, like '<<: *name'")
                return
            for key, entry in source.entries.items():
                entries.setdefault(key, entry)

    def _grown(self, size: int, node: Node, start: Any) -> int:
        grown = size + node.size
        if grown > MAX_NODES:
            message = f"its aliases expand to more than {MAX_NODES} values"
            self._stop(_position(start), message)
        return grown

    def _note(self, position: Position, message: str) -> None:
        self.problems.append(Problem(self.shown, position.line, position.column, message))

    def _stop(self, position: Position, message: str) -> NoReturn:
        self._note(position, message)
        raise ConfigError(self.problems)


def _position(event: Any) -> Position:
    return Position(event.start_mark.line + 1, event.start_mark.column + 1)


def _placed(value: Node, key: Position) -> Node:
    """A value that is not written at all stands where its key does."""
    if isinstance(value, ScalarNode) and value.text == "" and value.style is None:
        return replace(value, position=key)
    return value


def _scalar(event: Any) -> ScalarNode:
    plain = event.style is None or event.style == ""
    value = meaning(event.value) if plain and event.tag is None else event.value
    return ScalarNode(
        position=_position(event),
        text=event.value,
        value=value,
        style=None if plain else event.style,
        end_line=event.end_mark.line + 1,
    )
