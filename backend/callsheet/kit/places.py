"""Where the product's own files lie: data that ships with it, data that it makes."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from callsheet.kit.errors import SetupError

_PACKAGE: Final = Path(__file__).resolve().parents[1]
_CHECKOUT: Final = _PACKAGE.parents[1]


def shipped(name: str) -> Path:
    """The folder or file `name` (`alembic`, `config`, `crews` ...) that ships with this code.

    An installed wheel carries it inside the package; a checkout has it at its top.
    """
    places = (_PACKAGE / "_data" / name, _CHECKOUT / name)
    for place in places:
        if place.exists():
            return place
    tried = " and ".join(str(place) for place in places)
    raise SetupError(f"{name!r} ships with Callsheet but is in neither {tried}: install it again.")


def default_data_dir(*, uid: int, home: Path) -> Path:
    """The data folder where none is named.

    As root it is outside the home folder, which the unprivileged user that runs the database
    cannot enter.
    """
    return Path("/var/lib/callsheet") if uid == 0 else home / ".local" / "share" / "callsheet"
