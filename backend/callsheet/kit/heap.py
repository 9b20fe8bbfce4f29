"""The garbage collector of a process that keeps much and works for many."""

from __future__ import annotations

import gc
from typing import Final

# A turn makes some ten thousand objects, nearly all of which are gone without the collector.
_YOUNG: Final = 10_000


def keep_what_is_there() -> None:
    """Let the collector look no more at what lives now: modules, classes, caches.

    With CrewAI imported that is 200,000 objects, and each look at them stops every run of the
    process for about 0.1 s. Call it once everything that stays has been loaded.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(_YOUNG, *gc.get_threshold()[1:])
