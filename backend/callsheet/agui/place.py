"""A place in a run's stream, as a frame's id spells it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from callsheet.kit.errors import BadInput

_ID: Final = re.compile(
    r"(?:(?P<run>[0-9a-fA-F-]{36}):)?(?P<seq>[0-9]{1,18})(?:\.(?P<n>[0-9]{1,9}))?"
)
_ALL: Final = 10**9
"""More frames than any entry has."""


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """Behind frame `n` of entry `seq`. The first frame of a run is 1.1."""

    seq: int
    n: int

    def is_behind_all(self, seq: int) -> bool:
        """Whether every frame of that entry, however many it has, was seen."""
        return self.seq > seq or (self.seq == seq and self.n >= _ALL)


def seen_of(seq: int, after: Place | None) -> int:
    """How many frames of the entry were seen before by who goes on behind `after`."""
    if after is None or seq > after.seq:
        return 0
    return _ALL if seq < after.seq else after.n


def parse_place(text: str, run_id: UUID, field: str) -> Place:
    """`<run id>:<seq>.<n>` as in a frame's id, or its short forms `<seq>.<n>` and `<seq>`.

    `<seq>` alone is behind all frames of that entry.

    Raises:
        BadInput: it is no place, or one in another run; `field` says where it stood.
    """
    found = _ID.fullmatch(text.strip())
    if found is None:
        raise BadInput(
            f"{field} is the id of a frame, such as {run_id}:12.1, or a number.", field=field
        )
    if found["run"] is not None and found["run"].lower() != str(run_id):
        raise BadInput(f"{field} is the id of a frame of another run.", field=field)
    return Place(int(found["seq"]), _ALL if found["n"] is None else int(found["n"]))
