"""The examples of the documentation can be copied and used as they are."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from callsheet.kit.places import shipped
from callsheet.kit.yaml import compose
from callsheet.kit.yaml_nodes import data
from callsheet.llm.facts import load_facts
from callsheet.workflows.draft import Known
from callsheet.workflows.loader import load_workflow
from tests.architecture.sources import ROOT

EXAMPLES = sorted(path.parent for path in (ROOT / "docs" / "examples").glob("*/workflow.yaml"))
FILES = [file for folder in EXAMPLES for file in sorted(folder.glob("*.yaml"))]
# Where an example is copied to, which its first lines are written for.
PLACE = shipped("crews") / "copied"


@pytest.mark.parametrize("folder", EXAMPLES, ids=lambda path: path.name)
def test_an_example_is_a_workflow_for_models_that_are_there(folder: Path) -> None:
    models = load_facts(shipped("config") / "models.yaml")

    workflow = load_workflow(folder, Known(models=models.keys(), tools=()))

    assert workflow.name == folder.name


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_an_editor_finds_the_schema_of_a_copied_example(path: Path) -> None:
    mark = "# yaml-language-server: $schema="
    first = path.read_text("utf-8").splitlines()[0]
    assert first.startswith(mark)
    schema = json.loads((PLACE / first.removeprefix(mark)).resolve().read_text("utf-8"))
    Draft202012Validator(schema).validate(data(compose(path).root))


def test_there_are_examples() -> None:
    assert [folder.name for folder in EXAMPLES] == ["small"]
