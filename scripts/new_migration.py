"""Write a migration for what differs between the tables and the migrations there are.

A scratch database is made for it, so no deployment is touched. Read what was written before it is
committed: names of constraints, and the way back.
"""

import asyncio
import subprocess
import sys
import tempfile
from pathlib import Path

from callsheet.db.embedded.lifecycle import embedded_postgres
from callsheet.db.embedded.options import EmbeddedOptions
from callsheet.db.migrate import migrate

ROOT = Path(__file__).resolve().parent.parent
VERSIONS = ROOT / "alembic" / "versions"


async def write(what: str, scratch: Path) -> int:
    async with embedded_postgres(EmbeddedOptions(data_dir=scratch / "data")) as url:
        await migrate(url)
        alembic = [sys.executable, "-m", "alembic", "-x", f"url={url}"]
        command = [*alembic, "revision", "--autogenerate", "-m", what]
        process = await asyncio.create_subprocess_exec(*command, cwd=ROOT)
        return await process.wait()


def main(arguments: list[str]) -> int:
    what = " ".join(arguments).strip()
    if not what:
        print('Say what it does: make migrate NAME="add a column"', file=sys.stderr)
        return 2
    before = set(VERSIONS.glob("*.py"))
    with tempfile.TemporaryDirectory(prefix="callsheet-", ignore_cleanup_errors=True) as folder:
        scratch = Path(folder)
        scratch.chmod(0o755)  # as root the server runs as another user
        code = asyncio.run(write(what, scratch))
    new = [str(path) for path in set(VERSIONS.glob("*.py")) - before]
    if new:
        ruff = Path(sys.executable).with_name("ruff")
        subprocess.run([str(ruff), "format", "--quiet", *new], check=False)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
