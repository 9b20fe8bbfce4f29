"""The little of our own environment that a program which we start may have."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Final

_GIVEN: Final = ("PATH", "HOME")


def host_environment() -> Mapping[str, str]:
    """Where programs are and where the user's files are; nothing of this deployment."""
    return {name: os.environ[name] for name in _GIVEN if name in os.environ}  # noqa: TID251
