"""What the doctor found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

State = Literal["ok", "warning", "missing"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at; `mend` says what to do where it is not ok.

    `warning`: works, with less than all; `missing`: does not work.
    """

    subject: str
    state: State
    detail: str
    mend: str = ""
