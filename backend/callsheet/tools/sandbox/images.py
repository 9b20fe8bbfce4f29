"""An image that somebody else made."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

from callsheet.tools.sandbox.protocol import SandboxUnavailable


class GivenImage:
    """Implements `Images` for a name that is there or is not."""

    step: str | None = None
    failure: str = ""

    def __init__(self, name: str) -> None:
        self._name = name

    @property
    def name(self) -> str:
        """As it was given."""
        return self._name

    def can_build(self) -> bool:
        """Never."""
        return False

    async def ensure(self, tell: Callable[[str], None]) -> NoReturn:
        """Cannot."""
        del tell
        raise SandboxUnavailable(f"The image {self._name} is missing.")

    async def work(self) -> None:
        """Nothing to do."""
