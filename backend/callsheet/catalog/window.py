"""Hours of the week in which other prices hold, as the file says them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import time
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, Field, StringConstraints

from callsheet.kit.yaml import Section
from callsheet.kit.zone import zone_named

_DAYS: Final = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


def _code(code: str) -> str:
    if code == "any":
        raise ValueError("'any' stands for any time already")
    return code


WindowCode = Annotated[
    str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9_-]{0,49}$"), AfterValidator(_code)
]
Zone = Annotated[str, AfterValidator(lambda name: zone_named(name).key)]
Weekday = Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
From = Annotated[str, StringConstraints(pattern=r"^([01][0-9]|2[0-3]):[0-5][0-9]$")]
To = Annotated[str, StringConstraints(pattern=r"^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$")]


@dataclass(frozen=True, slots=True)
class Hours:
    """One span as it is stored: `weekdays` from 1 Monday to 7 Sunday, `end` 00:00 is midnight."""

    timezone: str
    weekdays: tuple[int, ...]
    start: time
    end: time


class Span(Section):
    """From then until just before then, on the days on which it begins."""

    weekdays: Annotated[tuple[Weekday, ...], Field(min_length=1, max_length=7)] = _DAYS
    start: From = Field(alias="from", description="HH:MM on the clock of the window's time zone.")
    end: To = Field(
        alias="to",
        description="HH:MM, 00:00 and 24:00 being midnight; before `from` it is the next day's.",
    )


class Window(Section):
    """The spans that an entry's `window` names; one of them is enough.

    Which price holds is judged by the moment at which the request starts.
    """

    code: WindowCode
    timezone: Zone
    spans: Annotated[tuple[Span, ...], Field(min_length=1, max_length=50)]

    @property
    def hours(self) -> frozenset[Hours]:
        """The spans as they are stored."""
        return frozenset(
            Hours(
                self.timezone,
                tuple(sorted({_DAYS.index(day) + 1 for day in span.weekdays})),
                time.fromisoformat(span.start),
                time.fromisoformat(span.end.replace("24:", "00:")),
            )
            for span in self.spans
        )

    def faults(self) -> Iterator[tuple[tuple[str | int, ...], str]]:
        """What no single value shows: its place in the window, and what is wrong there."""
        for index, span in enumerate(self.spans):
            if span.start == span.end != "00:00":
                yield ("spans", index, "to"), "a span has to end at another time than it begins"
