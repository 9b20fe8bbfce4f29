"""What the tools for the web may reach of the operator's own."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field, field_validator
from pydantic_settings import NoDecode

from callsheet.kit.errors import SetupError, ToolRetry
from callsheet.settings.record import FROZEN, split
from callsheet.tools.web.guard import read_allow_list
from callsheet.tools.web.target import read_target


class WebSettings(BaseModel):
    """The tools web_search and web_fetch."""

    model_config = FROZEN

    allow: Annotated[tuple[str, ...], NoDecode] = Field(
        default=(),
        description="Services of your own that web_fetch may read wherever they stand, "
        "comma-separated, each host:port exactly as agents will name it. Everything else has to "
        "be on the public internet.",
    )
    searxng_url: str | None = Field(
        default=None,
        min_length=1,
        description="Address of a SearXNG that web_search asks, in whatever network it stands. "
        "Unset: public engines, through the library ddgs.",
    )

    _split_allow = field_validator("allow", mode="before")(split)

    @field_validator("allow")
    @classmethod
    def _check_allow(cls, allow: tuple[str, ...]) -> tuple[str, ...]:
        try:
            read_allow_list(allow)
        except SetupError as error:
            raise ValueError(str(error)) from error
        return allow

    @field_validator("searxng_url")
    @classmethod
    def _check_searxng_url(cls, url: str | None) -> str | None:
        try:
            return url if url is None else read_target(url).url
        except ToolRetry as error:
            raise ValueError(str(error)) from error
