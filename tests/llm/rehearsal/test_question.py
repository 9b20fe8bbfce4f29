"""Questions that the rehearsal answers with a tool, looked for in bounded time."""

from __future__ import annotations

import time

import pytest

from callsheet.llm.rehearsal.question import arithmetic_in


@pytest.mark.parametrize("piece", ["(", "1", "\n", "1" + " " * 100, "1+", "(1) "])
def test_no_message_holds_up_the_server(piece: str) -> None:
    began = time.process_time()
    arithmetic_in(piece * (32_000 // len(piece)))
    assert time.process_time() - began < 1


def test_a_sum_is_found_at_the_head_of_a_long_message() -> None:
    assert arithmetic_in("What is 17*23? " + "word " * 6_000) == "17*23"
