"""How viewers see runs of other processes."""

from __future__ import annotations

from pydantic import BaseModel, Field, SecretStr

from callsheet.settings.record import FROZEN


class StreamSettings(BaseModel):
    """Views of runs that other processes work on."""

    model_config = FROZEN

    redis_url: SecretStr | None = Field(
        default=None,
        description="Address of a Redis 6.2 or newer that carries events to viewers in other "
        "processes, as redis://user:password@host:6379/0. Unset: the database does.",
    )
