"""What may follow a list; pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from uuid import UUID

from callsheet.kit.ids import new_id
from callsheet.todos.states import TODO_ITEM
from callsheet.todos.todo_list import ListStatus, Step, TodoItem, TodoList, TodoStatus, TodoWish


def mistakes(before: TodoList | None, steps: Sequence[Step]) -> list[str]:
    """All that is wrong with the steps behind the list as it stands; each says how to mend it.

    Steps are known by their labels. A list that is over is followed by anything that may begin one.
    """
    known = {} if before is None else {item.label: item.status for item in before.items}
    is_over = before is not None and before.status != "active"
    return [*_doubled(steps), *_several_running(steps), *_moved(known, steps, is_over=is_over)]


def following(before: TodoList | None, wish: TodoWish) -> tuple[tuple[TodoItem, ...], ListStatus]:
    """The items and the status of the list that a wish without mistakes makes."""
    ids = {} if before is None else {item.label: item.id for item in before.items}
    items = tuple(_item(ids, step) for step in wish.steps)
    if wish.archived:
        return items, "archived"
    return items, "completed" if all(s.status == "completed" for s in wish.steps) else "active"


def is_same(before: TodoList, wish: TodoWish) -> bool:
    """Whether the wish changes nothing."""
    steps = tuple(Step(item.label, item.status) for item in before.items)
    archived = before.status == "archived"
    return (before.title, steps, archived) == (wish.title, wish.steps, wish.archived)


def _item(ids: dict[str, UUID], step: Step) -> TodoItem:
    return TodoItem(ids.get(step.label) or new_id(), step.label, step.status)


def _doubled(steps: Sequence[Step]) -> Iterator[str]:
    for label, times in Counter(step.label for step in steps).items():
        if times > 1:
            yield f"{label!r} stands there {times} times; give each step a label of its own"


def _several_running(steps: Sequence[Step]) -> Iterator[str]:
    running = [step.label for step in steps if step.status == "running"]
    if len(running) > 1:
        named = ", ".join(map(repr, running))
        yield f"{len(running)} steps are running ({named}); leave one of them running"


def _moved(known: dict[str, TodoStatus], steps: Sequence[Step], *, is_over: bool) -> Iterator[str]:
    for step in steps:
        was = known.get(step.label)
        if was == step.status or (is_over and step.status != "completed"):
            continue
        if was is None and step.status == "completed":
            yield (
                f"{step.label!r} is new and cannot be completed yet; keep the labels of earlier "
                "steps as they were, and let a new one run before it is completed"
            )
        elif was is not None and not TODO_ITEM.allows(was, step.status):
            yield _refused(step.label, was, step.status)


def _refused(label: str, was: TodoStatus, wanted: TodoStatus) -> str:
    if (was, wanted) == ("pending", "completed"):
        return f"{label!r} is pending; send it as running first, and as completed once it is done"
    if was == "running":
        return f"{label!r} is running and cannot be pending again; complete it, or leave it out"
    return (
        f"{label!r} is completed and cannot be {wanted} again; leave it completed, and add a step "
        "with another label for what is still to do"
    )
