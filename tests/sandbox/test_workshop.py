"""Programs that build the image: heard when they fail, gone when the build is stopped."""

from __future__ import annotations

import sys
import threading
import time

import pytest

from callsheet.kit.errors import SetupError, Unavailable
from callsheet.tools.sandbox.image.workshop import Workshop


def test_a_failure_shows_the_last_lines_that_were_said() -> None:
    program = "for n in range(99): print('line', n)\nraise SystemExit(3)"

    with pytest.raises(SetupError, match="ended with 3") as caught:
        Workshop(print).run([sys.executable, "-c", program])

    assert "line 98" in str(caught.value)
    assert "line 10" not in str(caught.value)


def test_a_failure_that_is_allowed_for_is_none() -> None:
    Workshop(print).run([sys.executable, "-c", "raise SystemExit(3)"], may_fail=True)


def test_a_program_that_is_not_there_is_named() -> None:
    with pytest.raises(SetupError, match="no-such-program cannot be run"):
        Workshop(print).run(["no-such-program"])


def test_a_stopped_build_ends_its_program_and_begins_no_other() -> None:
    stop = threading.Event()
    shop = Workshop(print, stop)
    threading.Timer(0.3, stop.set).start()
    began = time.monotonic()

    with pytest.raises(Unavailable, match="stopped"):
        shop.run(["sleep", "60"])

    assert time.monotonic() - began < 30
    with pytest.raises(Unavailable):
        shop.run(["true"])
