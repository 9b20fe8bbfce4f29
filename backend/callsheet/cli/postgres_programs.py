"""psql, pg_dump and pg_restore: found, and given an address without showing its password."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy.engine import URL, make_url

from callsheet.db.embedded.binaries import find_binaries
from callsheet.db.engine import plain_url
from callsheet.kit.errors import SetupError


def program(name: str) -> str:
    """The program that ships with the embedded server, else the one on the PATH."""
    try:
        shipped = find_binaries().program(name)
    except SetupError:
        shipped = None
    if shipped is not None and shipped.is_file():
        return str(shipped)
    found = shutil.which(name)
    if found is None:
        raise SetupError(f"{name} is not installed; it is part of PostgreSQL's client programs.")
    return found


@contextmanager
def address(url: str) -> Iterator[str]:
    """`url` for a command line: the password is in a file that only we can read."""
    parsed = make_url(plain_url(url))
    if parsed.password is None:
        yield plain_url(url)
        return
    with tempfile.NamedTemporaryFile("w", prefix="callsheet-", suffix=".pgpass") as file:
        Path(file.name).chmod(0o600)
        escaped = str(parsed.password).replace("\\", "\\\\").replace(":", "\\:")
        file.write(f"*:*:*:*:{escaped}\n")
        file.flush()
        bare = URL.create(
            parsed.drivername,
            username=parsed.username,
            host=parsed.host,
            port=parsed.port,
            database=parsed.database,
            query={**parsed.query, "passfile": file.name},
        )
        yield bare.render_as_string(hide_password=False)


def run_program(name: str, url: str, arguments: Sequence[str]) -> int:
    """Run it in this terminal with the address as its `--dbname`; its exit status."""
    with address(url) as dbname:
        command = [program(name), f"--dbname={dbname}", *arguments]
        return subprocess.run(command, check=False).returncode  # noqa: S603 (no shell)
