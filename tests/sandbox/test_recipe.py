"""The image's name follows from what it is made from."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from callsheet.kit.places import shipped
from callsheet.tools.sandbox.image import recipe as recipes
from callsheet.tools.sandbox.image.recipe import load_recipe

WANTED = (
    "numpy pandas scipy sympy matplotlib requests python-dateutil tabulate pyyaml".split()  # noqa: SIM905
)


def test_a_changed_list_has_another_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "sandbox"
    shutil.copytree(shipped("sandbox"), folder)
    before = load_recipe()
    monkeypatch.setattr(recipes, "shipped", lambda _: folder)
    assert load_recipe().image == before.image

    lock = folder / "requirements.lock"
    lock.write_text(lock.read_text("utf-8").replace("tabulate==", "tabulate=="[::-1]), "utf-8")

    assert load_recipe().image != before.image
    assert re.fullmatch(r"callsheet-sandbox:[0-9a-f]{12}", before.image)


def test_the_lock_holds_what_is_promised_for_any_python_with_hashes() -> None:
    lock = load_recipe().lock.read_text("utf-8")
    pins = re.findall(r"^([\w.-]+)==[\w.]+( ;.*)?", lock, flags=re.MULTILINE)

    assert set(WANTED) <= {name for name, _ in pins}
    assert [marker for _, marker in pins if "python" in marker] == []
    assert len(re.findall(r"^\S+==.*\\\n +--hash=sha256:", lock, flags=re.MULTILINE)) == len(pins)


def test_both_ways_run_a_container_alike() -> None:
    changes = load_recipe().changes
    said = " ".join(changes)

    assert "USER 1000:1000" in changes
    assert "WORKDIR /workspace" in changes
    assert all(name in said for name in ("PYTHONUNBUFFERED=1", "OPENBLAS_NUM_THREADS=1"))
    assert not any(change.endswith("\\") for change in changes)
