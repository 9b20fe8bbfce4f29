from __future__ import annotations

from datetime import UTC, datetime

import pytest

from callsheet.kit.errors import ToolRetry
from callsheet.tools.builtin.current_time import CurrentTime, CurrentTimeArgs
from tests.fakes.clock import HandClock
from tests.tools.calls import context


async def ask(**args: str) -> dict[str, str]:
    ctx = context()
    assert isinstance(ctx.clock, HandClock)
    ctx.clock.set(datetime(2026, 7, 1, 22, 30, 5, 900, tzinfo=UTC))
    return await CurrentTime().run(CurrentTimeArgs(**args), ctx)


async def test_utc_where_no_zone_is_named() -> None:
    assert await ask() == {
        "time": "2026-07-01T22:30:05+00:00",
        "weekday": "Wednesday",
        "timezone": "UTC",
    }


async def test_a_zone_moves_the_day_and_knows_summer() -> None:
    assert await ask(timezone="Asia/Shanghai") == {
        "time": "2026-07-02T06:30:05+08:00",
        "weekday": "Thursday",
        "timezone": "Asia/Shanghai",
    }
    assert (await ask(timezone="Europe/Berlin"))["time"] == "2026-07-02T00:30:05+02:00"


@pytest.mark.parametrize(
    "zone", ["Mars/Olympus", "../../etc/passwd", "/etc/passwd", "a\0b", "Asia"]
)
async def test_what_is_no_zone_goes_back_to_the_model(zone: str) -> None:
    with pytest.raises(ToolRetry, match="IANA"):
        await ask(timezone=zone)
