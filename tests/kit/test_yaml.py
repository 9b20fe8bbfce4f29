"""YAML files: what is taken as written, what is refused, and where it is said to stand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import Field, RootModel
from ruamel.yaml import YAML

from callsheet.kit.errors import ConfigError, Problem
from callsheet.kit.yaml import Document, Section, compose, compose_bytes
from callsheet.kit.yaml_nodes import Position, data
from callsheet.kit.yaml_source import MAX_BYTES


class Person(Section):
    name: str
    age: int = 0
    height: float | None = None
    tags: tuple[str, ...] = ()
    labels: dict[str, str] = Field(default_factory=dict)
    anything: Any = None


class People(RootModel[dict[str, Person]]):
    """By key."""


def document(text: str | bytes) -> Document:
    return compose_bytes(text if isinstance(text, bytes) else text.encode(), "people.yaml")


def told(text: str | bytes) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        document(text).parse(People)
    return [str(problem).removeprefix("people.yaml:") for problem in caught.value.problems]


def one(text: str) -> Person:
    return document(f"a: {text}").parse(People).root["a"]


@pytest.mark.parametrize(
    "written",
    ["no", "yes", "on", "1.10", "007", "12:30", "0x1F", "1e3", "true", "2026-01-01", "1_0"],
)
def test_text_stays_as_written_where_the_schema_says_text(written: str) -> None:
    person = one(f"{{name: {written}, tags: [{written}], labels: {{{written}: {written}}}}}")

    assert person == Person(name=written, tags=(written,), labels={written: written})


def test_where_anything_goes_values_mean_what_yaml_1_2_says() -> None:
    person = one("{name: x, anything: [no, 1.10, 007, 12:30, true, ~, 0x1F, 0o17, .inf, 'true']}")

    assert person.anything == ["no", 1.1, 7, "12:30", True, None, 31, 15, ".inf", "true"]


def test_an_old_version_directive_changes_no_meaning() -> None:
    assert document("%YAML 1.1\n---\na: {name: no}\n").parse(People).root["a"].name == "no"


def test_numbers_are_taken_where_the_schema_says_number() -> None:
    assert one("{name: x, age: 007, height: 2}") == Person(name="x", age=7, height=2.0)


@pytest.mark.parametrize(
    "age", ["yes", "1.0", "'1'", "1_000", "99999999999999999999999999999999999999999"]
)
def test_nothing_is_made_a_number_that_is_none(age: str) -> None:
    (problem,) = told(f"a:\n  name: x\n  age: {age}\n")

    assert problem.startswith("3:8: expected a whole number, found ")


def test_byte_order_mark_and_windows_line_ends_change_no_position() -> None:
    raw = b"\xef\xbb\xbfa:\r\n  name: x\r\n  agee: 1\r\n"

    assert told(raw) == ["3:3: unknown key 'agee' (did you mean 'age'?)"]


@pytest.mark.parametrize(
    ("raw", "problem"),
    [
        (b"", "1:1: the file is empty"),
        (b"# nothing\n", "1:1: the file is empty"),
        (b"a:\n  name: gr\xfc\xdf\n", "2:11: is not UTF-8"),
        ("a: x\n".encode("utf-16"), "1:1: is not UTF-8"),
        (b"a:\n  name: a\x00b\n", "2:10: the control character U+0000 is not allowed"),
        (b"a: {name: x}\n" * (MAX_BYTES // 13 + 1), "0:0: is larger than 256 KiB"),
        (b"a: &a [*a]\n", "1:8: the alias *a stands inside its own anchor"),
        (b"a: {name: x}\nb: !!python/object:x {name: y}\n", "2:4: the tag 'tag:yaml.org"),
        (b"? [a, b]\n: {name: x}\n", "1:3: a key must be a word"),
        (b"a: {<<: 3, name: x}\n", "1:5: '<<' merges mappings only"),
        (b"- a\n", "1:1: expected a mapping of keys to values, found a list"),
    ],
)  # fmt: skip
def test_a_file_that_cannot_be_used_says_where_and_why(raw: bytes, problem: str) -> None:
    assert told(raw)[0].startswith(problem)


@pytest.mark.parametrize("opening", ["[", "{a: ", "- ", "? "])
def test_deep_nesting_is_refused_before_it_costs_anything(opening: str) -> None:
    (problem,) = told(opening * 300)

    assert "nested more than 32 levels deep" in problem


def test_an_alias_bomb_is_refused() -> None:
    levels = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    levels += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]

    (problem,) = told("\n".join(levels))

    assert "aliases expand to more than 20000 values" in problem


def test_anchors_and_merges_save_writing() -> None:
    text = (
        "a: &base {name: x, age: 1, tags: &t [u]}\nb: {<<: *base, age: 2}\nc: {name: y, tags: *t}\n"
    )

    people = document(text).parse(People).root

    assert people["b"] == Person(name="x", age=2, tags=("u",))
    assert people["c"] == Person(name="y", tags=("u",))


def test_every_problem_is_told_at_once_in_the_order_of_the_file() -> None:
    text = "a:\n  nmae: x\n  age: old\n  tags: {}\nb: 3\nc: {name: [], name: 2, zzz: 1}\n"

    assert told(text) == [
        "2:3: unknown key 'nmae' (did you mean 'name'?)",
        "3:8: expected a whole number, found 'old'",
        "4:9: expected a list, found a mapping",
        "5:4: expected a mapping of keys to values, found '3'",
        "6:11: expected text, found a list",
        "6:15: the key 'name' is doubled (first on line 6)",
        "6:24: unknown key 'zzz'",
    ]


def test_what_is_valid_can_be_used_beside_what_is_not() -> None:
    text = "a: {name: x, age: old}\nb: {age: 1}\nc: {name: y, tags: [u, [], w]}\n"

    salvage = document(text).salvage(People)

    assert salvage.value is not None
    assert salvage.value.root == {"a": Person(name="x"), "c": Person(name="y", tags=("u", "w"))}
    assert salvage.document.at(("c", "tags", 1)) == Position(3, 28)
    assert len(salvage.problems) == 3


def test_positions_reach_into_the_text_of_a_value() -> None:
    text = 'a:\n  name: "is {it}?"\nb:\n  name: |\n    first\n      {it} second\n'
    found = document(text)

    assert found.find(("a", "name"), "{it}") == Position(2, 13)
    assert found.find(("b", "name"), "{it}") == Position(6, 7)
    assert found.inside(("a", "name"), 1, 4) == Position(2, 13)
    assert found.inside(("b", "name"), 1, 3) == Position(5, 7)
    assert found.find(("a", "name"), "nowhere") == found.at(("a", "name")) == Position(2, 9)


def test_keys_and_values_have_their_own_positions() -> None:
    found = document("a:\n  name: x\n")

    assert found.at(("a", "name"), of_key=True) == Position(2, 3)
    assert found.at(("a", "name")) == Position(2, 9)
    assert found.at(("a", "nowhere", "deep")) == found.at(("a",))
    assert (found.keys(), found.keys(("a",)), found.keys(("a", "name"))) == (("a",), ("name",), ())
    assert str(found.problem(("a",), "is odd", "b", of_key=True)) == (
        "people.yaml:1:1: is odd (did you mean 'b'?)"
    )


def test_files_are_read_from_disk(tmp_path: Path) -> None:
    path = tmp_path / "people.yaml"
    path.write_text("a: {name: x}\n")

    assert compose(path).parse(People).root == {"a": Person(name="x")}


def test_a_file_that_is_not_there_or_is_a_folder_is_told_with_its_path(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"gone.yaml:0:0: there is no such file"):
        compose(tmp_path / "gone.yaml")
    with pytest.raises(ConfigError, match=r":0:0: cannot be read: Is a directory"):
        compose(tmp_path)


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**9), 10**9)
    | st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("abc_", min_size=1), inner),
    max_leaves=15,
)


@settings(max_examples=40, deadline=None)
@given(values)
def test_what_another_writer_wrote_is_read_back(value: Any) -> None:
    yaml = YAML(typ="safe", pure=True)
    yaml.default_flow_style = False
    yaml.allow_unicode = True
    out = _Lines()
    yaml.dump({"top": value}, out)

    assert data(compose_bytes(b"".join(out), "x.yaml").root) == {"top": value}


@settings(max_examples=40, deadline=None)
@given(st.binary(max_size=200) | st.text("ab:-[]{}&*!|>'\"\n \t#?,%@", max_size=60).map(str.encode))
def test_any_bytes_give_a_tree_or_a_problem(raw: bytes) -> None:
    problems: tuple[Problem, ...] = ()
    size = 0
    try:
        size = compose_bytes(raw, "x.yaml").root.size
    except ConfigError as error:
        problems = error.problems

    assert bool(problems) != bool(size)


class _Lines(list[bytes]):
    def write(self, text: bytes) -> None:
        self.append(text)


def test_a_file_that_is_nothing_but_mistakes_is_told_but_not_all_of_it() -> None:
    text = "bo:\n  name: Bo\n" + "".join(f"  wrong{number}: 1\n" for number in range(9_000))
    found = document(text).salvage(People)
    assert found.value is None
    assert len(found.problems) == 201
    assert found.problems[0].message == "and 8800 more mistakes"
    assert "unknown key 'wrong0'" in {problem.message for problem in found.problems}
