"""Rows as aligned text, never cut: for reading, and for other programs."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from rich.cells import cell_len


def text_table(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Columns as wide as their widest value; numbers to the right; `(none)` without rows."""
    if not rows:
        return "(none)"
    texts = [[_text(value) for value in row] for row in rows]
    widths = [
        max(cell_len(value) for value in column) for column in zip(columns, *texts, strict=True)
    ]
    right = [all(_is_number(value) for value in column) for column in zip(*rows, strict=True)]
    head = " | ".join(_pad(name, width) for name, width in zip(columns, widths, strict=True))
    line = "-+-".join("-" * width for width in widths)
    body = (
        " | ".join(
            _pad(value, width, to_right=to_right)
            for value, width, to_right in zip(row, widths, right, strict=True)
        ).rstrip()
        for row in texts
    )
    return "\n".join([head.rstrip(), line, *body])


def _text(value: Any) -> str:
    """Decimals without an exponent: str() writes a zero of eight places as 0E-8."""
    if value is None:
        return ""
    return f"{value:f}" if isinstance(value, Decimal) else str(value)


def _is_number(value: Any) -> bool:
    return value is None or (not isinstance(value, str | bool) and hasattr(value, "__round__"))


def _pad(text: str, width: int, *, to_right: bool = False) -> str:
    space = " " * (width - cell_len(text))
    return space + text if to_right else text + space
