"""How a provider writes its bills, as `bills.yaml` says."""

from __future__ import annotations

import codecs
from pathlib import Path
from typing import Annotated, Final, Literal
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, Field, StringConstraints, model_validator

from callsheet.kit.errors import ConfigError, Problem, SetupError
from callsheet.kit.yaml import Section, compose
from callsheet.kit.zone import zone_named

FILE: Final = "bills.yaml"

Head = Annotated[str, StringConstraints(min_length=1, max_length=200)]
Heads = Annotated[tuple[Head, ...], Field(min_length=1, max_length=10)]
LONGEST_MODEL: Final = 50
ModelCode = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_MODEL)]


def _encoding(name: str) -> str:
    try:
        codecs.lookup(name)
    except LookupError as error:
        raise ValueError(f"{name!r} is no encoding; utf-8 and gb18030 are usual ones") from error
    return name


class BillColumns(Section):
    """The heads of the columns; of several names the first that the file has.

    Without `model` days are compared as a whole. With `request_id` calls are compared one by one
    where their ids are known. `uncached_tokens` is input that no cache had, where the bill tells
    that apart from `cached_tokens` instead of giving `input_tokens`, all input.
    """

    day: Heads
    amount: Heads
    model: Heads | None = None
    currency: Heads | None = None
    request_id: Heads | None = None
    input_tokens: Heads | None = None
    uncached_tokens: Heads | None = None
    cached_tokens: Heads | None = None
    output_tokens: Heads | None = None


class BillLayout(Section):
    """One provider's CSV.

    `zone`: whose days the bill counts in. `currency`: of every line, where no column says it.
    `day_formats`: `iso` or a strptime format, tried in order. `charges` negative: a line of -1.20
    is a charge. `skip_lines`: what stands above the heads. `models`: the bill's name for a model
    to ours; others are called the same.
    """

    columns: BillColumns
    zone: Annotated[str, AfterValidator(lambda name: zone_named(name).key)] = "UTC"
    currency: Annotated[str, StringConstraints(pattern="^[A-Z]{3}$")] | None = None
    delimiter: Literal[",", ";", "\t", "|"] = ","
    decimal_mark: Literal[".", ","] = "."
    charges: Literal["positive", "negative"] = "positive"
    day_formats: Annotated[tuple[Head, ...], Field(min_length=1, max_length=10)] = ("iso",)
    encoding: Annotated[str, AfterValidator(_encoding)] = "utf-8"
    skip_lines: int = Field(default=0, ge=0, le=100)
    models: dict[Head, ModelCode] = Field(default_factory=dict, max_length=1000)

    @model_validator(mode="after")
    def _has_currency(self) -> BillLayout:
        if self.currency is None and self.columns.currency is None:
            raise ValueError("the currency is missing: name a column of it, or give `currency`")
        return self

    @property
    def time_zone(self) -> ZoneInfo:
        """The zone of the bill's days."""
        return zone_named(self.zone)


class BillsFile(Section):
    """Layouts by factory; `default` holds for a factory that has none of its own."""

    default: BillLayout | None = None
    factories: dict[ModelCode, BillLayout] = Field(default_factory=dict)


def load_layout(path: Path, factory: str) -> BillLayout:
    """The layout of that factory's bills.

    Raises:
        ConfigError: every problem of the file.
        SetupError: neither the factory nor `default` is in it.
    """
    bills = compose(path).parse(BillsFile)
    layout = bills.factories.get(factory, bills.default)
    if layout is None:
        raise SetupError(f"{path} has no layout for bills of {factory!r}, and no default.")
    return layout


def layout_problems(path: Path) -> tuple[Problem, ...]:
    """What is wrong with the file; a deployment that reads no bills needs none."""
    try:
        return compose(path).salvage(BillsFile).problems if path.exists() else ()
    except ConfigError as error:
        return error.problems
