"""Where the embedded database lives and how patient its start is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

WAY_OUT: Final = (
    "To use a PostgreSQL (15 or newer) of your own instead, set "
    "CALLSHEET_DATABASE__URL=postgresql://user:password@host:5432/name"
)


@dataclass(frozen=True, slots=True)
class EmbeddedOptions:
    """`data_dir` is the product's data folder; the server gets `data_dir/postgres`.

    `server_settings` are handed to the server on top of ours (tests switch durability off).
    """

    data_dir: Path
    database: str = "callsheet"
    start_timeout_s: float = 120.0
    stop_timeout_s: float = 30.0
    server_settings: Mapping[str, str] = field(default_factory=dict)
