"""The image is missing as the first program comes: it is built beside the turns."""

from __future__ import annotations

import asyncio
import dataclasses
import threading
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from callsheet.tools.sandbox.image import images
from callsheet.tools.sandbox.image.build import Built, Wish, size_of
from callsheet.tools.sandbox.image.client import engine_client
from callsheet.tools.sandbox.image.recipe import REPOSITORY, Recipe, load_recipe
from callsheet.tools.sandbox.image.workshop import Workshop
from tests.fakes.agui_client import AgUiClient
from tests.fakes.chat_script import chat_script
from tests.fakes.deployment import Deployment
from tests.fakes.provider.server import FakeProvider
from tests.fixtures.app import Serve
from tests.flows.test_python import ENGINE, coding, until_offered, writes


@dataclasses.dataclass
class Build:
    """Takes the image of the tests for the missing one, once it may."""

    recipe: Recipe
    go_on: threading.Event = dataclasses.field(default_factory=threading.Event)
    builds: int = 0

    def __call__(
        self, client: Any, recipe: Recipe, folder: Path, wish: Wish, shop: Workshop
    ) -> Built:
        self.builds += 1
        shop.tell("unpacking")
        while not self.go_on.wait(0.05):
            shop.check()
        client.tag(load_recipe().image, REPOSITORY, self.recipe.tag)
        return Built(self.recipe.image, 1, is_new=True)


@pytest.fixture
def build(monkeypatch: pytest.MonkeyPatch) -> Iterator[Build]:
    recipe = dataclasses.replace(load_recipe(), tag=f"test-{uuid.uuid4().hex[:8]}")
    made = Build(recipe)
    monkeypatch.setattr(images, "load_recipe", lambda: recipe)
    monkeypatch.setattr(images, "build_image", made)
    yield made
    made.go_on.set()
    with engine_client(None) as client:
        if size_of(client, recipe.image) is not None:
            client.remove_image(recipe.image)


async def sandbox_of(agui: AgUiClient) -> dict[str, Any]:
    """What `/health/ready` says of it; the server is ready all the while."""
    answer = await agui.http.get("/health/ready")
    assert answer.status_code == 200
    part: dict[str, Any] = answer.json()["parts"][-1]
    return part


@pytest.mark.needs("docker")
async def test_the_first_program_has_it_built_while_other_turns_go_on(
    deployment: Deployment, serve: Serve, provider: FakeProvider, build: Build
) -> None:
    async with serve(coding(deployment), sandbox=ENGINE) as (agui, _), asyncio.TaskGroup() as group:
        await until_offered(agui)
        assert "when the first program comes" in (await sandbox_of(agui))["detail"]
        provider.scenario = writes("print('built')")
        first = group.create_task(agui.ask("Count."))
        async with asyncio.timeout(60):
            while "unpacking" not in (part := await sandbox_of(agui))["detail"]:
                await asyncio.sleep(0.05)
        assert (part["ready"], part["needed"]) == (False, False)

        provider.scenario = chat_script(complexity="simple")
        other = await agui.ask("Hello")
        assert other.text == "The work is done."
        assert not first.done()
        provider.scenario = writes("print('built')")
        build.go_on.set()
        turn = await first

        [result] = turn.of("TOOL_CALL_RESULT")
        assert '"stdout": "built\\n"' in result["content"].replace('":"', '": "')
        shown = [event for event in turn.of("ACTIVITY_SNAPSHOT") if "sandbox" in str(event)]
        assert "unpacking" in str(shown)
        assert build.builds == 1
        assert (await sandbox_of(agui))["ready"]
