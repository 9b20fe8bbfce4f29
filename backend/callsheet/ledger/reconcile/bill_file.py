"""Reads a bill's CSV; every problem is found at once and has its line and column."""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

from callsheet.kit.errors import ConfigError, Problem, SetupError
from callsheet.kit.yaml_words import closest
from callsheet.ledger.reconcile.bill import Bill, BillLine, Tokens
from callsheet.ledger.reconcile.cell import amount_of, count_of, currency_of, day_of
from callsheet.ledger.reconcile.layout import LONGEST_MODEL, BillLayout

LARGEST_BYTES: Final = 100_000_000
MOST_LINES: Final = 1_000_000
_LONGEST_CELL: Final = 10_000
_LONGEST_ID: Final = 200
_LONGEST_HEADS: Final = 500
_MOST_TOLD: Final = 50
# Money is held against a bill that tells no tokens too.
_COMPARED_IF_THERE: Final = frozenset(
    {"input_tokens", "uncached_tokens", "cached_tokens", "output_tokens"}
)

T = TypeVar("T")


def read_bill(path: Path, layout: BillLayout, progressed: Callable[[int], None]) -> Bill:
    """The bill in the file; `progressed` is told how many lines were read since the last time.

    Raises:
        SetupError: the file cannot be read, or is too large.
        ConfigError: every problem in it (the first 50).
    """
    try:
        size = path.stat().st_size
        if size > LARGEST_BYTES:
            raise SetupError(f"{path} has {size} bytes; a bill may have {LARGEST_BYTES}.")
        data = path.read_bytes()
    except OSError as error:
        raise SetupError(f"{path} cannot be read: {error.strerror or error}.") from error
    lines = tuple(_Reader(str(path), layout).read(data, progressed))
    return Bill(path.name, hashlib.sha256(data).hexdigest(), lines)


class _Records:
    """The records of a CSV with where each begins; its raw text says where a cell stands."""

    def __init__(self, text: str, delimiter: str) -> None:
        self._lines = text.splitlines(keepends=True)
        self._next = 0
        self._raw: list[str] = []
        self._delimiter = delimiter
        self._reader = csv.reader(self._take(), delimiter=delimiter, strict=True)
        self.line = 0

    def _take(self) -> Iterator[str]:
        while self._next < len(self._lines):
            line = self._lines[self._next]
            self._next += 1
            self._raw.append(line)
            yield line

    def skip(self, lines: int) -> None:
        self._next = min(lines, len(self._lines))

    def __iter__(self) -> Iterator[list[str]]:
        return self

    def __next__(self) -> list[str]:
        self._raw = []
        self.line = self._next + 1
        return next(self._reader)

    def column(self, cell: int) -> int:
        """Where a cell of the record begins, from 1."""
        seen, quoted = 0, False
        raw = "".join(self._raw).rstrip("\r\n")
        for place, char in enumerate(raw):
            if seen == cell:
                return place + 1
            if char == '"':
                quoted = not quoted
            elif char == self._delimiter and not quoted:
                seen += 1
        return len(raw) + 1 if cell else 1


class _Reader:
    """One file; `problems` grow while it is read."""

    def __init__(self, file: str, layout: BillLayout) -> None:
        self._file = file
        self._layout = layout
        self._zone = layout.time_zone
        self._problems: list[Problem] = []

    def read(self, data: bytes, progressed: Callable[[int], None]) -> list[BillLine]:
        encoding = "utf-8-sig" if self._layout.encoding == "utf-8" else self._layout.encoding
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError as error:
            before = data[: error.start]
            line = before.count(b"\n") + 1
            column = error.start - (before.rfind(b"\n") + 1) + 1
            raise self._broken(
                line, column, f"is not {encoding}; bills.yaml has `encoding`"
            ) from None
        records = _Records(text, self._layout.delimiter)
        records.skip(self._layout.skip_lines)
        csv.field_size_limit(_LONGEST_CELL)
        found: list[BillLine] = []
        try:
            places = self._places(records)
            for count, cells in enumerate(records, start=1):
                if count > MOST_LINES:
                    raise self._broken(records.line, 1, f"there are more than {MOST_LINES} lines")
                progressed(1)
                if any(cell.strip() for cell in cells):
                    found += self._line(records, places, cells)
        except csv.Error as error:
            raise self._broken(records.line, 1, f"is no CSV: {error}") from error
        if not found and not self._problems:
            self._tell(1, 1, "the bill has no lines")
        if self._problems:
            raise ConfigError(self._problems[:_MOST_TOLD])
        return found

    def _places(self, records: _Records) -> dict[str, int]:
        """Where each column of the layout stands."""
        heads = [head.strip() for head in next(records, [])]
        wanted = {name: names for name, names in self._layout.columns.model_dump().items() if names}
        places: dict[str, int] = {}
        for name, names in wanted.items():
            at = next((heads.index(each) for each in names if each in heads), None)
            if at is not None:
                places[name] = at
            elif name not in _COMPARED_IF_THERE:
                near = next((hit for each in names if (hit := closest(each, heads))), None)
                there = ", ".join(map(repr, heads))[:_LONGEST_HEADS] or "none"
                message = (
                    f"no column is called {' or '.join(map(repr, names))}, as bills.yaml says of "
                    f"{name!r}; the file has {there}"
                )
                self._tell(records.line, 1, message, near)
        if self._problems:
            raise ConfigError(self._problems)
        return places

    def _line(
        self, records: _Records, places: dict[str, int], cells: Sequence[str]
    ) -> Iterator[BillLine]:
        """The line; nothing where a cell of it is wrong."""
        before = len(self._problems)
        mark = self._layout.decimal_mark

        def read(name: str, form: Callable[[str], T]) -> T | None:
            place = places.get(name)
            if place is None:
                return None
            if place >= len(cells):
                self._tell(records.line, records.column(place), f"the cell of {name} is missing")
                return None
            try:
                return form(cells[place])
            except ValueError as error:
                self._tell(records.line, records.column(place), f"{name}: {error}")
                return None

        def count(name: str) -> int | None:
            return read(name, lambda text: count_of(text, mark))

        day = read("day", lambda text: day_of(text, self._layout.day_formats, self._zone))
        amount = read("amount", lambda text: amount_of(text, mark))
        model = read("model", self._model)
        currency = read("currency", currency_of) if "currency" in places else self._layout.currency
        request_id = read("request_id", _id)
        tokens = _tokens(
            count("input_tokens"), count("uncached_tokens"),
            count("cached_tokens"), count("output_tokens"),
        )  # fmt: skip
        if len(self._problems) > before or day is None or amount is None or currency is None:
            return
        yield BillLine(
            line=records.line,
            day=day,
            model=model,
            amount=-amount if self._layout.charges == "negative" else amount,
            currency=currency,
            request_id=request_id or None,
            tokens=tokens,
        )

    def _model(self, text: str) -> str:
        name = text.strip()
        model = self._layout.models.get(name, name)
        if not model:
            raise ValueError("is empty")
        if len(model) > LONGEST_MODEL:
            raise ValueError(f"is longer than {LONGEST_MODEL} characters; bills.yaml has `models`")
        return model

    def _tell(self, line: int, column: int, message: str, suggestion: str | None = None) -> None:
        self._problems.append(Problem(self._file, line, column, message, suggestion))

    def _broken(self, line: int, column: int, message: str) -> ConfigError:
        self._tell(line, column, message)
        return ConfigError(self._problems[:_MOST_TOLD])


def _id(text: str) -> str:
    if len(text) > _LONGEST_ID:
        raise ValueError(f"is longer than {_LONGEST_ID} characters")
    return text.strip()


def _tokens(whole: Any, uncached: Any, cached: Any, output: Any) -> Tokens:
    if whole is None and uncached is not None:
        whole = uncached + (cached or 0)
    return Tokens(whole, cached, output)
