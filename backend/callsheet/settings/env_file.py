"""The `.env` file, and where it disagrees with the process environment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from dotenv import dotenv_values

from callsheet.kit.errors import SetupError
from callsheet.settings.settings import PREFIX


@dataclass(frozen=True, slots=True)
class Difference:
    """A variable that `.env` and the environment both set, each otherwise. Values are masked."""

    name: str
    in_file: str
    in_environment: str

    def __str__(self) -> str:
        return (
            f"{self.name} is {self.in_environment} in the environment and {self.in_file} in .env; "
            "the environment counts."
        )


def read_env_file(path: Path) -> dict[str, str]:
    """The variables of the file with our prefix; none where there is no file.

    Raises SetupError where it cannot be read.
    """
    if not path.is_file():
        return {}
    try:
        values = dotenv_values(path, interpolate=False, encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SetupError(f"{path} cannot be read: {error}") from error
    return {name: value for name, value in values.items() if value is not None and ours(name)}


def ours(name: str) -> bool:
    """True for a variable that is meant for us."""
    return name.upper().startswith(PREFIX)


def differences(in_file: Mapping[str, str], environ: Mapping[str, str]) -> list[Difference]:
    """Where the two disagree, sorted by name."""
    return [
        Difference(name, mask(in_file[name]), mask(environ[name]))
        for name in sorted(in_file.keys() & environ.keys())
        if in_file[name] != environ[name]
    ]


def mask(value: str) -> str:
    """Enough of a value to tell two apart, not enough to use it."""
    if not value:
        return "(empty)"
    if len(value) < 12:
        return f"*** ({len(value)} characters)"
    return f"{value[:2]}***{value[-2:]} ({len(value)} characters)"
