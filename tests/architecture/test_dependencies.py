"""What the product imports is what its project asks for, not what happens to come along."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from typing import Final

from tests.architecture.sources import ROOT, python_files, tree_of

OURS: Final = "callsheet"
# Packages of another project that stand for a direct one, and why.
COMES_WITH: Final = {
    "anyio": "the streams of mcp, on which its sessions are held",
    "httpx": "mcp takes an HTTP client of it, and sees to its version",
    "crewai_core": "a part of crewai, which is pinned exactly",
    "pydantic_core": "a part of pydantic, which pins it exactly",
    "yarl": "the type of addresses in the API of aiohttp",
    "requests": "docker speaks HTTP with it, and lets its errors through",
    "starlette": "fastapi is made of it and re-exports only a part",
}


def imported() -> Iterator[str]:
    """The top names of every absolute import of the product."""
    for path in python_files("backend"):
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.Import):
                yield from (alias.name.partition(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module:
                yield node.module.partition(".")[0]


def declared() -> set[str]:
    """The projects that pyproject.toml names, extras included."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = [each for extra in project["optional-dependencies"].values() for each in extra]
    return {name_of(each) for each in [*project["dependencies"], *extras]}


def name_of(requirement: str) -> str:
    name = re.match(r"[\w.-]+", requirement)
    assert name is not None
    return re.sub(r"[-_.]+", "-", name[0]).lower()


def test_every_import_is_a_dependency_of_the_project() -> None:
    asked_for, providers = declared(), packages_distributions()
    found = {
        top
        for top in set(imported()) - sys.stdlib_module_names - {OURS}
        if top not in COMES_WITH
        and not {name_of(each) for each in providers.get(top, [top])} & asked_for
    }

    assert found == set()
    assert COMES_WITH.keys() <= set(imported())
