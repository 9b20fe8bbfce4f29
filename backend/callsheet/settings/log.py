"""How the product logs."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from callsheet.settings.record import FROZEN


class LogSettings(BaseModel):
    """The log, on standard error."""

    model_config = FROZEN

    level: Literal["debug", "info", "warning", "error"] = Field(
        default="info", description="The least level that is written."
    )
    format: Literal["auto", "json", "console"] = Field(
        default="auto",
        description="json: one object a line; auto: console on a terminal, else json.",
    )
