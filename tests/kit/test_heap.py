"""What is kept is not looked at again, and what comes later still is."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import gc, weakref
from callsheet.kit.heap import keep_what_is_there

class Node: pass

kept = [Node() for _ in range(1000)]
before = len(gc.get_objects())
keep_what_is_there()
assert len(gc.get_objects()) < before / 2, "the heap is still looked at"
one, other = Node(), Node()
one.other, other.one = other, one
gone = weakref.ref(one)
del one, other
gc.collect()
assert gone() is None, "a circle made later is never collected"
"""


def test_what_lives_then_is_left_alone_and_later_circles_are_collected() -> None:
    """In a process of its own: the collector is one for all."""
    subprocess.run([sys.executable, "-c", PROGRAM], check=True, timeout=60)
