"""The database's part of the doctor."""

from __future__ import annotations

import asyncpg

from callsheet.auth.key_store import ACTIVE_KEYS
from callsheet.cli.database import database_url
from callsheet.cli.deployment import Deployment
from callsheet.cli.finding import Finding
from callsheet.cli.let_in import let_in
from callsheet.cli.worker_findings import PROCESSES, WAITING, ProcessSeen, workers
from callsheet.db.embedded.binaries import find_binaries
from callsheet.db.engine import plain_url
from callsheet.db.migrate import current_revision
from callsheet.db.revisions import Revisions, read_revisions
from callsheet.kit.errors import ConfigError, SetupError
from callsheet.kit.places import shipped
from callsheet.ledger.budget.quotas_file import FILE, load_quotas
from callsheet.runs.worker_locks import OTHER_ZONES, zone_number


async def database(deployment: Deployment) -> list[Finding]:
    """Its programs, whether it answers, its version and its schema; and who is let in."""
    settings = deployment.settings
    findings: list[Finding] = []
    if settings.database.url is None:
        findings.append(_programs())
    try:
        async with database_url(deployment) as url:
            revision = await current_revision(url)
            version, made_keys = await _asked(url)
            findings += await _zones(url, deployment)
            findings += await _workers(url)
    except SetupError as error:
        away = Finding("database", "missing", "does not answer", str(error))
        return [*findings, away, let_in(settings, None)]
    return [
        *findings,
        Finding("database", "ok", version),
        schema(revision, read_revisions(shipped("alembic"))),
        let_in(settings, made_keys),
    ]


def schema(current: str | None, known: Revisions) -> Finding:
    """Whether the tables are this version's."""
    if current == known.head:
        return Finding("schema", "ok", known.head)
    if current is None or current in known.parents:
        detail = f"{current or 'empty'}, this version wants {known.head}"
        return Finding("schema", "warning", detail, "`callsheet serve` or `db migrate` brings it.")
    detail = f"{current}, which this version does not know"
    return Finding("schema", "missing", detail, "Upgrade Callsheet, or restore a backup.")


def _programs() -> Finding:
    try:
        found = find_binaries()
    except SetupError as error:
        return Finding("embedded PostgreSQL", "missing", "no programs", str(error))
    return Finding("embedded PostgreSQL", "ok", f"{found.major}, {found.folder}")


async def _zones(url: str, deployment: Deployment) -> list[Finding]:
    """A finding where a process that runs now counts days in another zone than quotas.yaml has."""
    try:
        zone = load_quotas(deployment.folders.config / FILE).zone.key
    except ConfigError:
        return []
    connection = await asyncpg.connect(plain_url(url))
    try:
        differs = await connection.fetchval(OTHER_ZONES, zone_number(zone))
    finally:
        await connection.close()
    told = f"a running server counts days in another time zone than {zone}"
    mend = "Give all the same `timezone` in config/quotas.yaml and start them again."
    return [Finding("budgets", "warning", told, mend)] if differs else []


async def _workers(url: str) -> list[Finding]:
    """The processes that are up, and whether runs wait for one that is not there."""
    connection = await asyncpg.connect(plain_url(url))
    try:
        if not await connection.fetchval("SELECT to_regclass('workers') IS NOT NULL"):
            return []
        known = [ProcessSeen(**row) for row in await connection.fetch(PROCESSES)]
        waiting = await connection.fetchval(WAITING)
    finally:
        await connection.close()
    return workers(known, waiting)


async def _asked(url: str) -> tuple[str, int]:
    """Its version, and how many keys that were made in it are good now."""
    connection = await asyncpg.connect(plain_url(url))
    try:
        version = f"PostgreSQL {await connection.fetchval('SHOW server_version')}"
        has_keys = await connection.fetchval("SELECT to_regclass('api_keys') IS NOT NULL")
        return version, await connection.fetchval(ACTIVE_KEYS) if has_keys else 0
    finally:
        await connection.close()
