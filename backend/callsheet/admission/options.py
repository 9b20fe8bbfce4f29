"""What every admission of a process has in common."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AdmissionOptions:
    """`worker_id`: the process that will work on the runs. `currency`: the accounting currency.

    `title_word`: the first word of the title of a session without text.
    """

    worker_id: str
    currency: str
    title_word: str
