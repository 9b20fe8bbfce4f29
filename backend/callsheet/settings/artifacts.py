"""How much of what tools make is kept."""

from __future__ import annotations

from pydantic import BaseModel, Field

from callsheet.settings.record import FROZEN


class ArtifactSettings(BaseModel):
    """Files that tools make; they lie in the data folder."""

    model_config = FROZEN

    file_bytes: int = Field(
        default=20_971_520, ge=1, description="Bytes of one file; a larger one is not kept."
    )
    session_bytes: int = Field(
        default=209_715_200, ge=1, description="Bytes of all files of one session together."
    )
    session_count: int = Field(default=500, ge=1, le=100_000, description="Files of one session.")
