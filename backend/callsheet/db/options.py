"""How to reach the database."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DatabaseOptions:
    """Address and limits of the connection pool.

    `url` is `postgresql://user:password@host:port/name`; a unix socket is
    `postgresql://user@/name?host=/folder/of/the/socket`. `pool_size` connections stay open,
    `pool_overflow` more may be opened under load.
    """

    url: str
    pool_size: int = 8
    pool_overflow: int = 8
    pool_timeout_s: float = 10.0
    connect_timeout_s: float = 10.0
    statement_timeout_s: float = 30.0
    application_name: str = "callsheet"
