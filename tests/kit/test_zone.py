"""A zone is one that the database knows too."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import available_timezones

import pytest
from sqlalchemy import text

from callsheet.db.transaction import Database
from callsheet.kit.zone import zone_named


@pytest.mark.parametrize("name", ["UTC", "Asia/Shanghai", "America/Argentina/Buenos_Aires"])
def test_a_name_stands_for_its_zone(name: str) -> None:
    assert zone_named(name).key == name


@pytest.mark.parametrize(
    "name",
    [
        "",
        "utc",
        "Mars",
        "localtime",
        "posixrules",
        "posix/UTC",
        "../UTC",
        "/etc/passwd",
        "UTC\0",
        "CET",
    ],
)
def test_what_is_no_name_of_a_zone_is_told(name: str) -> None:
    with pytest.raises(ValueError, match="is no time zone such as UTC or Asia/Shanghai"):
        zone_named(name)


def taken_zones() -> set[str]:
    taken = set()
    for name in available_timezones():
        try:
            taken.add(zone_named(name).key)
        except ValueError:
            continue
    return taken


async def test_the_database_knows_every_zone_that_is_taken(database: Database) -> None:
    async with database.read() as tx:
        found = await tx.execute(text("SELECT name FROM pg_timezone_names"))
        known = set(found.scalars())
    assert len(taken_zones()) > 400
    assert taken_zones() <= known


@pytest.mark.parametrize("month", [1, 7])
async def test_the_database_has_the_same_clock_in_every_zone_that_is_taken(
    database: Database, month: int
) -> None:
    """Three letters can be a zone here and a fixed offset, without summer time, there."""
    noon = datetime(2025, month, 15, 12, tzinfo=UTC)
    zones = sorted(taken_zones())
    clocks = text("SELECT z, :noon AT TIME ZONE z FROM unnest(CAST(:zones AS text[])) z")
    async with database.read() as tx:
        found = (await tx.execute(clocks, {"noon": noon, "zones": zones})).all()
    here = {zone: noon.astimezone(zone_named(zone)).replace(tzinfo=None) for zone in zones}
    assert {zone: clock for zone, clock in found if clock != here[zone]} == {}
