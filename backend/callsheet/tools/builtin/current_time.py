"""The tool that knows what time it is."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import ClassVar
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import BaseModel, Field

from callsheet.kit.errors import ToolRetry
from callsheet.tools.builtin.ports import BuiltinPorts
from callsheet.tools.context import ToolContext
from callsheet.tools.tool import Tool


class CurrentTimeArgs(BaseModel):
    """Where."""

    timezone: str = Field(
        default="UTC",
        max_length=64,
        description="IANA time zone, e.g. Europe/Berlin or Asia/Shanghai. Default: UTC.",
    )


class CurrentTime:
    """Date, time and weekday in a time zone."""

    name: ClassVar[str] = "current_time"
    description: ClassVar[str] = "The current date, time and weekday in a time zone."
    group: ClassVar[str] = "time"
    label: ClassVar[Mapping[str, str]] = {"en": "Clock", "zh": "时钟"}
    summary: ClassVar[str] = "Says what time it is in a time zone."
    idempotent: ClassVar[bool] = True
    Args: type[BaseModel] = CurrentTimeArgs

    async def run(self, args: CurrentTimeArgs, ctx: ToolContext) -> dict[str, str]:
        """`time` is ISO 8601 to the second, with the zone's offset."""
        zone = await asyncio.to_thread(_zone, args.timezone.strip() or "UTC")
        now = ctx.clock.now().astimezone(zone)
        return {
            "time": now.isoformat(timespec="seconds"),
            "weekday": now.strftime("%A"),
            "timezone": zone.key,
        }


def offer(ports: BuiltinPorts) -> Sequence[Tool]:
    """The tool of this module."""
    del ports
    return (CurrentTime(),)


def _zone(key: str) -> ZoneInfo:
    try:
        return ZoneInfo(key)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ToolRetry(
            f"{key!r} is no IANA time zone; send one such as Europe/Berlin or Asia/Shanghai."
        ) from error
