"""Reads the environment and `.env`: nothing else in the product does."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_settings import EnvSettingsSource
from pydantic_settings.exceptions import SettingsError

from callsheet.kit.errors import SetupError
from callsheet.settings.env_file import differences, ours, read_env_file
from callsheet.settings.names import (
    is_known,
    is_mcp_secret,
    suggest,
    variable_of,
    variables,
)
from callsheet.settings.settings import DELIMITER, PREFIX, Settings


@dataclass(frozen=True, slots=True)
class Loaded:
    """The settings, and what should be said about where they came from."""

    settings: Settings
    warnings: tuple[str, ...]


class _MappingSource(EnvSettingsSource):
    """pydantic's own reading of variables, from a mapping instead of the process."""

    def __init__(self, mapping: Mapping[str, str]) -> None:
        self._mapping = {name.lower(): value for name, value in mapping.items()}
        super().__init__(
            Settings,
            env_prefix=PREFIX,
            env_nested_delimiter=DELIMITER,
            env_ignore_empty=True,
            case_sensitive=False,
        )

    def _load_env_vars(self) -> Mapping[str, str | None]:
        return {name: value for name, value in self._mapping.items() if value != ""}


def load_settings(
    environ: Mapping[str, str] | None = None, env_file: Path = Path(".env")
) -> Loaded:
    """The settings from the process environment over `env_file`.

    An empty variable counts as unset. Unknown variables and values that differ between the two
    are warnings.

    Raises:
        SetupError: every wrong value at once, each with its variable and the way out.
    """
    process = os.environ if environ is None else environ  # noqa: TID251 (this is the reader)
    from_process = {name: value for name, value in process.items() if ours(name)}
    from_file = read_env_file(env_file)
    merged = {**from_file, **from_process}
    known = {name: value for name, value in merged.items() if is_known(name)}
    warnings = [str(difference) for difference in differences(from_file, from_process)]
    warnings += [_unknown(name) for name in sorted(merged.keys() - known.keys())]
    try:
        values: dict[str, Any] = _MappingSource(
            {name: value for name, value in known.items() if not is_mcp_secret(name)}
        )()
        values["mcp"] = _mcp_secrets(known)
        settings = Settings(**values)
    except ValidationError as error:
        raise SetupError(_wrong_values(error)) from None
    except SettingsError as error:
        raise SetupError(f"The environment cannot be read: {error}") from None
    return Loaded(settings, tuple(warnings))


def _mcp_secrets(known: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """As they are written: pydantic would take one of digits for a number."""
    found: dict[str, dict[str, str]] = {}
    for name, value in known.items():
        if is_mcp_secret(name) and value:
            _, server, secret = name.lower().removeprefix(PREFIX.lower()).split(DELIMITER)
            found.setdefault(server, {})[secret] = value
    return found


def _unknown(name: str) -> str:
    meant = suggest(name)
    hint = f"did you mean {meant}?" if meant else "docs/configuration.md lists all of them."
    return f"{name} is no setting of Callsheet; {hint}"


def _wrong_values(error: ValidationError) -> str:
    """One line for each wrong variable; values are not repeated, they may be secrets."""
    by_path = {variable.path: variable for variable in variables()}
    lines: list[str] = []
    for detail in error.errors(include_url=False, include_input=False, include_context=False):
        path = tuple(part for part in detail["loc"] if isinstance(part, str))
        variable = by_path.get(path)
        message = detail["msg"].removeprefix("Value error, ")
        line = f"{variable_of(path)}: {message[:1].lower()}{message[1:]}."
        if variable is not None:
            way_out = (
                "" if variable.default is None else f" Unset it for {_shown(variable.default)}."
            )
            line = f"{line} {variable.field.description}{way_out}"
        lines.append(line)
    return "\n".join(lines)


def _shown(default: object) -> str:
    return ", ".join(map(str, default)) or "none" if isinstance(default, tuple) else str(default)
