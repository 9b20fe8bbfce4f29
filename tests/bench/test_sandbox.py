"""The bench of the sandbox times a call from its beginning to its result."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bench.sandbox.run import ENDLESS, HELLO, _ms, _p95, _quietness
from callsheet.tools.sandbox.options import PoolOptions
from tests.fakes.sandbox_run import OPTIONS, bench


@pytest.mark.needs("docker")
async def test_a_call_is_timed_with_its_result() -> None:
    async with bench(replace(OPTIONS, pool=PoolOptions(size=0))) as made:
        assert await _ms(made, HELLO) > 0
        assert await _ms(made, ENDLESS, 1) > 1000
        with pytest.raises(SystemExit, match="error"):
            await _ms(made, "raise SystemExit(3)")


def test_what_else_the_machine_does_is_said() -> None:
    assert " cores" in _quietness()
    assert _p95([3.0]) == 3.0
    assert 95 < _p95([float(n) for n in range(101)]) < 100
