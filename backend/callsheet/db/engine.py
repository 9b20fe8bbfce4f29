"""The async engine: asyncpg, aware UTC, strict JSON, every statement with a time limit."""

from __future__ import annotations

from typing import Final

from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlalchemy.pool import NullPool

from callsheet.db.options import DatabaseOptions
from callsheet.db.pool import ClosingPool
from callsheet.kit.errors import SetupError
from callsheet.kit.json import decode, encode

_SCHEMES: Final = frozenset({"postgresql", "postgres", "postgresql+asyncpg"})


def async_url(url: str) -> URL:
    """`url` for the asyncpg driver.

    Takes the forms that libpq takes (`postgres://`, `?sslmode=`); any other database is a
    SetupError.
    """
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):
        # Without its cause, which may quote a part of the password.
        raise SetupError(
            "CALLSHEET_DATABASE__URL is not an address of the form "
            "postgresql://user:password@host:5432/name (other characters than letters and digits "
            "in the password are written as %XX)"
        ) from None
    if parsed.drivername not in _SCHEMES:
        raise SetupError(
            f"CALLSHEET_DATABASE__URL names {parsed.drivername!r}; "
            "only PostgreSQL 15 or newer works (postgresql://...)"
        )
    query = dict(parsed.query)
    if "sslmode" in query:
        query["ssl"] = query.pop("sslmode")
    if "password" in query:  # libpq takes it there too; where it stands now it is kept back
        parsed = parsed.set(password=str(query.pop("password")))
    return parsed.set(drivername="postgresql+asyncpg", query=query)


def plain_url(url: URL | str) -> str:
    """The same address as libpq and psql read it, password included."""
    parsed = async_url(url) if isinstance(url, str) else url
    query = dict(parsed.query)
    if "ssl" in query:
        query["sslmode"] = query.pop("ssl")
    plain = parsed.set(drivername="postgresql", query=query)
    return plain.render_as_string(hide_password=False)


def _encode_text(value: object) -> str:
    return encode(value).decode()


def make_engine(options: DatabaseOptions, *, pooled: bool = True) -> AsyncEngine:
    """An engine that connects when it is first used.

    Without a pool each block opens and closes its own connection: for short commands.
    """
    settings = {
        "application_name": options.application_name,
        "timezone": "UTC",
        "statement_timeout": str(int(options.statement_timeout_s * 1000)),
        "jit": "off",
    }
    connect_args = {"timeout": options.connect_timeout_s, "server_settings": settings}
    if not pooled:
        return create_async_engine(
            async_url(options.url),
            connect_args=connect_args,
            json_serializer=_encode_text,
            json_deserializer=decode,
            hide_parameters=True,  # an error is logged; what users say is not
            poolclass=NullPool,
        )
    return create_async_engine(
        async_url(options.url),
        connect_args=connect_args,
        json_serializer=_encode_text,
        json_deserializer=decode,
        hide_parameters=True,
        poolclass=ClosingPool,
        pool_size=options.pool_size,
        max_overflow=options.pool_overflow,
        pool_timeout=options.pool_timeout_s,
        pool_pre_ping=False,
        pool_use_lifo=True,
    )
