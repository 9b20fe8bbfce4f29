"""LiteLLM's packaged price list, read as a file: importing the library takes seconds."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from importlib import metadata
from pathlib import Path
from typing import Any, Final

from callsheet.kit.errors import SetupError

_FILE: Final = "model_prices_and_context_window_backup.json"
_INSTALL: Final = "pip install 'callsheet[litellm]' (in a checkout: make litellm)"


@dataclass(frozen=True, slots=True)
class LiteLlmMap:
    """Entries by their name in the map; numbers are exact. All of it is in US dollars."""

    version: str
    entries: Mapping[str, Mapping[str, Any]]


def load_litellm_map() -> LiteLlmMap:
    """The map of the installed version, as it was packaged.

    Raises:
        SetupError: LiteLLM is not installed, or its map is not where it was.
    """
    try:
        distribution = metadata.distribution("litellm")
    except metadata.PackageNotFoundError as error:
        raise SetupError(
            f"The price list is part of LiteLLM, which is not installed: {_INSTALL}"
        ) from error
    for file in distribution.files or ():
        if file.name == _FILE:
            return LiteLlmMap(distribution.version, _read(Path(str(file.locate()))))
    raise SetupError(f"LiteLLM {distribution.version} has no price list {_FILE}.")


def _read(path: Path) -> Mapping[str, Mapping[str, Any]]:
    try:
        found = json.loads(path.read_text("utf-8"), parse_float=Decimal)
    except (OSError, ValueError) as error:
        raise SetupError(f"LiteLLM's price list {path} cannot be read: {error}") from error
    if not isinstance(found, dict):
        raise SetupError(f"LiteLLM's price list {path} is no object.")
    return {name: entry for name, entry in found.items() if isinstance(entry, dict)}
