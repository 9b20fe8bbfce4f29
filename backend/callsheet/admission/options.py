"""What every admission of a process has in common."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AdmissionOptions:
    """`worker_id`: the process that will work on the runs. `currency`: the accounting currency.

    `title_word`: the first word of the title of a session without text. At most `waiting_runs`
    wait for a worker at a time, each for at most `waiting_s` seconds.
    """

    worker_id: str
    currency: str
    title_word: str
    waiting_runs: int = 1_000
    waiting_s: float = 300.0
