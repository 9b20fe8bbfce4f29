"""The schemas that editors use say what the code says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from callsheet.kit.places import shipped
from callsheet.kit.yaml import compose
from callsheet.kit.yaml_nodes import data
from scripts.schemas import FOLDER, SCHEMAS, write_schemas

FILES = [*shipped("config").glob("*.yaml"), *shipped("crews").glob("*/*.yaml")]


def test_the_schemas_in_the_repository_are_the_ones_that_the_code_makes(tmp_path: Path) -> None:
    write_schemas(tmp_path)

    made = {path.name: path.read_text("utf-8") for path in tmp_path.iterdir()}
    kept = {path.name: path.read_text("utf-8") for path in FOLDER.iterdir()}
    assert kept == made, "run: python scripts/schemas.py"


@pytest.mark.parametrize("name", SCHEMAS)
def test_each_is_a_schema(name: str) -> None:
    Draft202012Validator.check_schema(json.loads((FOLDER / f"{name}.json").read_text("utf-8")))


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_every_yaml_file_names_its_schema_and_an_editor_finds_it_valid(path: Path) -> None:
    mark = "# yaml-language-server: $schema="
    first = path.read_text("utf-8").splitlines()[0]
    assert first.startswith(mark)

    schema = json.loads((path.parent / first.removeprefix(mark)).read_text("utf-8"))
    Draft202012Validator(schema).validate(data(compose(path).root))
