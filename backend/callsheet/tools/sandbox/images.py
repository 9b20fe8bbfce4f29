"""Where the image of the containers comes from."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

from callsheet.tools.sandbox.image.recipe import load_recipe
from callsheet.tools.sandbox.protocol import SandboxUnavailable


class GivenImage:
    """Implements `Images` for a name that is there or is not."""

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


class ShippedImage(GivenImage):
    """The product's own; its name follows from what it is made of, and is worked out once."""

    def __init__(self) -> None:
        super().__init__("")

    @property
    def name(self) -> str:
        """Reads a few small files, the first time."""
        if not self._name:
            self._name = load_recipe().image
        return self._name
