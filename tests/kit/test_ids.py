"""Identifiers: ours sort by time; a client's own names are found again, by nobody else."""

from __future__ import annotations

import time
from uuid import UUID, uuid4

import pytest

from callsheet.kit.ids import new_id, parse_uuid, part_id, resolve_id

USUAL = "01900000-0000-7000-8000-00000000abcd"


def test_a_new_id_is_a_version_7_uuid_of_this_moment() -> None:
    before_ms = time.time_ns() // 1_000_000
    made = new_id()
    after_ms = time.time_ns() // 1_000_000
    assert (made.version, made.variant) == (7, "specified in RFC 4122")
    assert before_ms <= made.int >> 80 <= after_ms


def test_ids_of_different_milliseconds_sort_as_they_were_made() -> None:
    ids = [new_id()]
    while len(ids) < 5:
        made = new_id()
        if made.int >> 80 != ids[-1].int >> 80:
            ids.append(made)
    assert ids == sorted(ids)


def test_ids_do_not_repeat() -> None:
    assert len({new_id() for _ in range(10_000)}) == 10_000


@pytest.mark.parametrize("raw", [USUAL, USUAL.upper()])
def test_the_usual_form_is_read(raw: str) -> None:
    assert parse_uuid(raw) == UUID(USUAL)


@pytest.mark.parametrize(
    "raw",
    [
        "",
        "my-thread",
        USUAL.replace("-", ""),
        f"{{{USUAL}}}",
        f"urn:uuid:{USUAL}",
        USUAL[:-1],
        USUAL + "0",
        USUAL + "\n",
        "0x900000-0000-7000-8000-00000000abcd",
        "0_900000-0000-7000-8000-00000000abcd",
        "٠1900000-0000-7000-8000-00000000abcd",
        "0190000000-00-7000-8000-00000000abcd",
        "g1900000-0000-7000-8000-00000000abcd",
    ],
)
def test_any_other_form_is_none(raw: str) -> None:
    assert parse_uuid(raw) is None


def test_a_uuid_is_taken_as_it_is_whoever_names_it() -> None:
    assert resolve_id(USUAL, uuid4(), "session") == resolve_id(USUAL, uuid4(), "run") == UUID(USUAL)


def test_a_name_gives_one_id_per_user_kind_and_name() -> None:
    user, other = UUID(int=1), UUID(int=2)
    first = resolve_id("my-thread", user, "session")
    assert first == resolve_id("my-thread", user, "session")
    assert first.version == 5
    others = {
        resolve_id("my-thread", other, "session"),
        resolve_id("my-thread", user, "run"),
        resolve_id("my-Thread", user, "session"),
        resolve_id("會話 🎉", user, "session"),
    }
    assert len(others | {first}) == 5


def test_a_part_of_a_message_has_one_id_of_its_own() -> None:
    message = UUID(USUAL)
    assert part_id(message, "reasoning") == part_id(message, "reasoning")
    assert len({message, part_id(message, "reasoning"), part_id(message, "text")}) == 3
