"""What a user says to a run that is active."""

from __future__ import annotations

from callsheet.events.base import RunEvent


class Steered(RunEvent, frozen=True, kw_only=True, tag="steered"):
    """A message that came while the run was active goes into it; `run_id` is the run that it made.

    Stored together with the message `message_id` and the end of that run. `path` and `iteration` as
    in `AnswerFinished`: the model knows it from that answer on.
    """

    run_id: str
    message_id: str
    text: str
    path: str
    iteration: int
