"""Names of packages that a program wants installed, as nothing but names."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

MOST: Final = 10
_NAME: Final = re.compile(
    r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,78}[A-Za-z0-9])?"  # as the package index allows
    r"(?:(?:==|>=|<=|~=|!=|<|>)[0-9][0-9A-Za-z.*+!-]{0,30})?"
)


def reason_against(packages: Iterable[str]) -> str | None:
    """What is no name with at most one version, in words for the model; no option is one."""
    for package in packages:
        if not _NAME.fullmatch(package):
            return f"{package[:80]!r} is no package name such as 'shapely' or 'shapely==2.1.0'."
    return None
