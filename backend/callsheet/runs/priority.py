"""Who goes first among runs that wait: the higher number."""

from __future__ import annotations

from typing import Final

INTERACTIVE: Final = 10
"""Somebody waits for the answer."""
SCHEDULED: Final = 0
"""Nobody does."""
