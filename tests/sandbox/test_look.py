"""What is told of an image that is being built, or could not be."""

from __future__ import annotations

from callsheet.tools.sandbox.look import Look
from callsheet.tools.sandbox.protocol import SandboxState
from tests.sandbox.fake_engine import FakeImages


class WithoutImage:
    """Implements `Probe`."""

    async def state(self, image: str) -> SandboxState:
        return SandboxState("no_image", f"{image} is missing.")


async def test_while_it_is_built_the_step_is_told_and_no_program_is_taken() -> None:
    images = FakeImages(build=lambda: None)
    look = Look(WithoutImage(), images)
    assert (await look.refresh()).ready
    images.step = "unpacking"

    state = look.state(warm=0, pool_size=2, running=0)

    assert (state.kind, state.ready) == ("building", False)
    assert "unpacking" in state.detail


async def test_why_it_could_not_be_built_is_told() -> None:
    images = FakeImages(failure="it needs root")

    seen = await Look(WithoutImage(), images).refresh()

    assert seen.kind == "no_image"
    assert "it needs root" in seen.detail
