from __future__ import annotations

from typing import Final

from tests.architecture.sources import PACKAGE, ROOT, name_of, python_files

# The one that imports every table, so that migrations see them.
FULL: Final = "backend/callsheet/db/tables/__init__.py"


def test_packages_hide_nothing_behind_their_name() -> None:
    full = [
        name_of(path)
        for path in python_files()
        if path.name == "__init__.py" and path.read_text("utf-8").strip() and name_of(path) != FULL
    ]

    assert full == []


def test_every_folder_of_the_product_is_a_package() -> None:
    lacking = sorted(
        {
            name_of(path.parent)
            for path in python_files("backend")
            if not (path.parent / "__init__.py").exists()
        }
        - {"backend"}
    )

    assert lacking == []
    assert (PACKAGE / "py.typed").exists()


def test_the_migrations_folder_never_shadows_the_alembic_package() -> None:
    assert list((ROOT / "alembic").rglob("__init__.py")) == []
