"""The page about workflows names every key, variable and code that there is."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest
from pydantic import BaseModel

from callsheet.llm.errors import ProviderCode
from callsheet.workflows.agents_file import AgentEntry
from callsheet.workflows.tasks_file import TaskEntry
from callsheet.workflows.variables import FIXED
from callsheet.workflows.workflow_file import StageEntry, WorkflowFile

PAGE = (Path(__file__).parents[2] / "docs" / "workflows.md").read_text("utf-8")
CODES = [
    *get_args(ProviderCode),
    "invalid_output",
    "stage_timeout",
    "iteration_timeout",
    "iteration_limit",
]


@pytest.mark.parametrize("entry", [WorkflowFile, StageEntry, AgentEntry, TaskEntry])
def test_every_key_stands_in_a_table(entry: type[BaseModel]) -> None:
    told = set(re.findall(r"`(\w+)`", "".join(re.findall(r"^\| (`.*?`) \|", PAGE, re.MULTILINE))))

    assert set(entry.model_fields) <= told


@pytest.mark.parametrize("code", CODES)
def test_every_code_that_a_stage_can_be_retried_on_is_named(code: str) -> None:
    assert f"`{code}`" in PAGE


@pytest.mark.parametrize("name", [f"{head}.{field}" for head in FIXED for field in FIXED[head]])
def test_every_variable_is_named(name: str) -> None:
    assert f"`{name}`" in PAGE
