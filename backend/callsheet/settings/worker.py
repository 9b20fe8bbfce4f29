"""Processes that work on runs."""

from __future__ import annotations

from pydantic import BaseModel, Field

from callsheet.settings.record import FROZEN


class WorkerSettings(BaseModel):
    """Processes that work on runs."""

    model_config = FROZEN

    lease_s: float = Field(
        default=30.0,
        ge=1,
        description="Seconds without a sign of life after which a process is taken for dead.",
    )
    take_overs: int = Field(
        default=3,
        ge=0,
        description="How many workers may die with a run before it is ended and not taken over.",
    )
