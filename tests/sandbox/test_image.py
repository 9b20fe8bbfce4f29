"""The image on a real engine: found, built by the way that works, never taken for another."""

from __future__ import annotations

import dataclasses
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from callsheet.kit.errors import SetupError, Unavailable
from callsheet.tools.sandbox.image import dockerfile_way, packages_way
from callsheet.tools.sandbox.image.build import Wish, build_image, size_of
from callsheet.tools.sandbox.image.client import engine_client
from callsheet.tools.sandbox.image.recipe import Recipe, load_recipe
from callsheet.tools.sandbox.image.workshop import Workshop

if TYPE_CHECKING:
    from docker import APIClient

pytestmark = pytest.mark.needs("docker")


@pytest.fixture
def client() -> Iterator[APIClient]:
    with engine_client(None) as opened:
        yield opened


@pytest.fixture
def other(client: APIClient) -> Iterator[Recipe]:
    """A recipe whose image is not there; removed where a test has built it."""
    recipe = dataclasses.replace(load_recipe(), tag=f"test-{uuid.uuid4().hex[:8]}")
    yield recipe
    if size_of(client, recipe.image) is not None:
        client.remove_image(recipe.image, force=True)


@pytest.fixture
def small_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    """The packages' way without a download: one file."""

    def make(work: Path, *_: object) -> Path:
        root = work / "root"
        root.mkdir()
        (root / "hello").write_text("hello", "utf-8")
        return root

    monkeypatch.setattr(packages_way, "make_tree", make)
    monkeypatch.setattr(packages_way, "lacks", lambda: None)


def test_an_image_that_is_there_is_not_built_again(client: APIClient, tmp_path: Path) -> None:
    told: list[str] = []

    built = build_image(client, load_recipe(), tmp_path / "image", Wish(), Workshop(told.append))

    assert not built.is_new
    assert built.size_bytes > 100_000_000
    assert told == []


@pytest.mark.usefixtures("small_tree")
def test_without_a_registry_packages_are_put_together(
    client: APIClient, other: Recipe, tmp_path: Path
) -> None:
    told: list[str] = []
    wish = Wish(base="127.0.0.1:1/nowhere:1")

    built = build_image(client, other, tmp_path / "image", wish, Workshop(told.append))

    assert built.is_new
    assert "no image registry answers: from Debian packages instead" in told
    found = client.inspect_image(other.image)  # type: ignore[no-untyped-call]
    assert found["Config"]["User"] == "1000:1000"
    assert found["Config"]["WorkingDir"] == "/workspace"
    assert found["Config"]["Labels"] == {"callsheet.sandbox.image": other.tag}
    assert list((tmp_path / "image").iterdir()) == [tmp_path / "image/lock"]


def test_with_a_registry_the_dockerfile_is_built(
    client: APIClient, other: Recipe, tmp_path: Path
) -> None:
    """The base is an image of this machine: what a registry gives once it was fetched."""
    (tmp_path / "Dockerfile").write_text(
        'ARG BASE\nFROM ${BASE}\nUSER 1000:1000\nCMD ["python3"]\n', "utf-8"
    )
    told: list[str] = []
    here = dataclasses.replace(other, folder=tmp_path)
    wish = Wish("dockerfile", base=load_recipe().image)

    assert build_image(client, here, tmp_path / "image", wish, Workshop(told.append)).is_new

    assert told[0].startswith("Step 1/")


def test_where_both_ways_are_closed_both_reasons_are_said(
    client: APIClient, other: Recipe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packages_way, "lacks", lambda: "it needs root")
    wish = Wish(base="127.0.0.1:1/nowhere:1")

    with pytest.raises(SetupError, match=r"cannot be fetched.*it needs root"):
        build_image(client, other, tmp_path / "image", wish, Workshop(print))


def test_a_dockerfile_that_fails_says_why(client: APIClient, other: Recipe, tmp_path: Path) -> None:
    (tmp_path / "Dockerfile").write_text("ARG BASE\nFROM ${BASE}\nCOPY nothing /\n", "utf-8")
    here = dataclasses.replace(other, folder=tmp_path)

    with pytest.raises(SetupError, match="nothing"):
        dockerfile_way.build(client, here, {"BASE": load_recipe().image}, Workshop(print))


@pytest.mark.usefixtures("small_tree")
def test_a_stopped_build_leaves_no_image(client: APIClient, other: Recipe, tmp_path: Path) -> None:
    shop = Workshop(lambda _: None)
    shop._stop.set()

    with pytest.raises(Unavailable):
        build_image(client, other, tmp_path / "image", Wish("packages"), shop)

    assert size_of(client, other.image) is None


@pytest.mark.parametrize(
    ("host", "trouble"),
    [
        ("unix:///nowhere/docker.sock", "there is no socket /nowhere/docker.sock"),
        ("tcp://127.0.0.1:1", "No Docker engine answers at tcp://127.0.0.1:1"),
    ],
)
def test_an_engine_that_cannot_be_reached_is_one_line(host: str, trouble: str) -> None:
    with pytest.raises(SetupError, match=trouble) as caught, engine_client(host):
        pass

    assert "\n" not in str(caught.value)
