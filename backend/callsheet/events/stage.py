"""Stages: AG-UI's steps."""

from __future__ import annotations

from typing import Literal

from callsheet.events.base import RunEvent

EndStatus = Literal["done", "failed", "cancelled", "waiting"]


class StageStarted(RunEvent, frozen=True, kw_only=True, tag="stage_started"):
    """A stage of the workflow begins."""

    stage: str


class StageFinished(RunEvent, frozen=True, kw_only=True, tag="stage_finished"):
    """A stage has ended. `output` is its text, JSON text where it is `structured`."""

    stage: str
    status: EndStatus
    output: str | None = None
    structured: bool = False


class StageSkipped(RunEvent, frozen=True, kw_only=True, tag="stage_skipped"):
    """A rule left the stage out; `rule` is the expression that did."""

    stage: str
    rule: str


class StageRetried(RunEvent, frozen=True, kw_only=True, tag="stage_retried"):
    """The stage failed and begins anew; `attempt` is the number of the one that begins, from 2."""

    stage: str
    attempt: int
    code: str
