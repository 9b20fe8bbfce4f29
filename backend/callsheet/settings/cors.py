"""The settings about browsers on other origins."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field, field_validator
from pydantic_settings import NoDecode

from callsheet.settings.record import FROZEN, split


class CorsSettings(BaseModel):
    """Browsers on other origins."""

    model_config = FROZEN

    origins: Annotated[tuple[str, ...], NoDecode] = Field(
        default=(
            "http://localhost:3000",
            "http://127.0.0.1:3000",
            "http://localhost:5173",
            "http://127.0.0.1:5173",
        ),
        description="Origins of browser frontends that may call, comma-separated, each "
        "scheme://host[:port]; never *.",
    )

    _split_origins = field_validator("origins", mode="before")(split)

    @field_validator("origins")
    @classmethod
    def _check_origins(cls, origins: tuple[str, ...]) -> tuple[str, ...]:
        for origin in origins:
            scheme, mark, rest = origin.partition("://")
            if scheme not in ("http", "https") or not mark or not rest or set("/*? ") & set(rest):
                raise ValueError(
                    f"{origin!r} is no origin: write scheme://host or scheme://host:port"
                )
        return origins
