"""A step goes from pending to running to completed, and what is wrong is told with the way out."""

from __future__ import annotations

import pytest

from callsheet.todos.moves import following, is_same, mistakes
from callsheet.todos.todo_list import TodoList, as_text
from tests.todos.lists import todo, wish


@pytest.mark.parametrize(
    ("before", "steps"),
    [
        (None, (">look", "-write")),
        (None, ("-look", "-write")),
        (todo(">look", "-write"), ("xlook", ">write")),
        (todo(">look", "-write"), (">look", "-write")),
        (todo("xlook", ">write"), ("xlook", "xwrite")),
        (todo("xlook", ">write"), ("xlook", ">write", "-check")),
        (todo("xlook", ">write", "-check"), ("xlook", ">write")),
        (todo("xlook", ">write"), ("xlook", "-print", "-check")),
        (todo(">look", "-write"), ("-write", ">look")),
        (todo("xlook", "xwrite", status="completed"), (">look", "-write")),
        (todo("xlook", "xwrite", status="completed"), ("xlook", "xwrite", ">print")),
        (todo("xlook", ">write", status="archived"), ("-write", ">look")),
    ],
)
def test_these_may_follow(before: TodoList | None, steps: tuple[str, ...]) -> None:
    assert mistakes(before, wish(*steps).steps) == []


@pytest.mark.parametrize(
    ("before", "steps", "says"),
    [
        (None, ("xlook",), "'look' is new and cannot be completed yet"),
        (None, (">look", ">write"), "2 steps are running ('look', 'write'); leave one"),
        (None, (">look", "-look"), "'look' stands there 2 times"),
        (todo(">look", "-write"), ("xlook", "xwrite"), "'write' is pending; send it as running"),
        (todo(">look"), ("-look",), "'look' is running and cannot be pending again; complete it"),
        (todo("xlook", ">w"), (">look", "-w"), "'look' is completed and cannot be running again"),
        (todo("xlook", ">w"), ("-look", ">w"), "'look' is completed and cannot be pending again"),
        (todo("xa", status="completed"), ("xb",), "'b' is new and cannot be completed yet"),
    ],
)
def test_these_may_not_and_are_told_how_to_mend_it(
    before: TodoList | None, steps: tuple[str, ...], says: str
) -> None:
    assert any(mistake.startswith(says) for mistake in mistakes(before, wish(*steps).steps))


def test_all_that_is_wrong_is_told_at_once() -> None:
    before = todo("xa", ">b", "-c")
    assert len(mistakes(before, wish(">a", "-b", "xc", "xd", ">e", ">e").steps)) == 6


def test_a_step_keeps_its_id_as_long_as_it_keeps_its_label() -> None:
    before = todo(">look", "-write")
    items, status = following(before, wish("xlook", ">print", "-write"))
    assert [item.id for item in items][::2] == [item.id for item in before.items]
    assert items[1].id not in {item.id for item in before.items}
    assert status == "active"


def test_a_list_is_over_when_all_is_done_or_it_is_put_away() -> None:
    before = todo("xlook", ">write")
    assert following(before, wish("xlook", "xwrite"))[1] == "completed"
    assert following(before, wish("xlook", ">write", archived=True))[1] == "archived"
    assert following(None, wish(">look"))[1] == "active"


def test_the_same_list_changes_nothing() -> None:
    before = todo("xlook", ">write")
    assert is_same(before, wish("xlook", ">write"))
    assert not is_same(before, wish("xlook", ">write", title="Other"))
    assert not is_same(before, wish(">write", "xlook"))
    assert not is_same(before, wish("xlook", ">write", archived=True))


def test_as_text_it_is_a_line_for_each_step() -> None:
    found = todo("xlook", ">write", "-check")
    assert as_text(found.title, found.items) == "Report\n[x] look\n[>] write\n[ ] check"
