"""How a stage leaves in the middle of its work."""

from __future__ import annotations

from callsheet.events.interrupt import Interrupt


class Paused(BaseException):  # an Exception is taken for a failure, and swallowed, on its way out
    """The stage cannot go on without these answers. All else that it had begun is done."""

    def __init__(self, interrupts: tuple[Interrupt, ...]) -> None:
        super().__init__(", ".join(each.interrupt_id for each in interrupts))
        self.interrupts = interrupts
