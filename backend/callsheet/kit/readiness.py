"""Which parts of a process are ready to work."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Part:
    """One thing that turns use; `ready` false with a `detail` that says what it waits for.

    Without one that is not `needed` turns are served all the same, with less.
    """

    name: str
    ready: bool
    detail: str = ""
    needed: bool = True


class Readiness:
    """The parts of this process, in the order in which they become ready."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self._parts = {name: Part(name, ready=False, detail="starting") for name in names}

    def set(self, name: str, *, ready: bool, detail: str = "") -> None:
        """Say how a part stands now."""
        self._parts[name] = Part(name, ready, detail)

    def parts(self) -> tuple[Part, ...]:
        """Every part as it stands."""
        return tuple(self._parts.values())
