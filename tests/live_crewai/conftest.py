"""Real CrewAI, loaded once for each test process."""

from __future__ import annotations

from pathlib import Path

import pytest

from callsheet.crew.quiet import load_crewai


@pytest.fixture(scope="session", autouse=True)
def crewai_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data folder that CrewAI was loaded with."""
    folder = tmp_path_factory.mktemp("data")
    load_crewai(folder)
    return folder
