"""What is kept of runs that have ended."""

from __future__ import annotations

from pydantic import BaseModel, Field

from callsheet.settings.record import FROZEN


class JournalSettings(BaseModel):
    """Journals of runs that have ended; their messages stay."""

    model_config = FROZEN

    keep_days: float = Field(
        default=30.0,
        ge=0,
        le=36_500,
        description="Days after which a run's events are removed and it cannot be replayed any "
        "more; 0 keeps them for ever.",
    )
    pack_after_days: float = Field(
        default=1.0,
        ge=0,
        le=36_500,
        description="Days after which a run's events are stored in less space; 0 never does.",
    )
