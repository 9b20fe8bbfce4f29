"""Tables line up, also with wide characters."""

from __future__ import annotations

from decimal import Decimal

from callsheet.cli.table import text_table


def test_columns_line_up_and_numbers_stand_right() -> None:
    shown = text_table(
        ("名", "cost"), [("新对话", Decimal("0.5")), ("ab", Decimal("12.25")), (None, None)]
    )
    assert shown.splitlines() == [
        "名     | cost",
        "-------+------",
        "新对话 |   0.5",
        "ab     | 12.25",
        "       |",
    ]


def test_a_zero_of_many_places_is_written_without_an_exponent() -> None:
    assert text_table(("cost",), [(Decimal("0E-9"),)]).splitlines()[-1] == "0.000000000"


def test_no_rows_are_said_to_be_none() -> None:
    assert text_table(("a",), []) == "(none)"
