"""Real CrewAI, loaded before the first process of the product is started in this one.

A test that ends while a background thread still imports it would change the filters of warnings
under that thread, and make its import fail.
"""

from __future__ import annotations

import pytest

from callsheet.crew.quiet import load_crewai


@pytest.fixture(scope="session", autouse=True)
def _crewai(tmp_path_factory: pytest.TempPathFactory) -> None:
    load_crewai(tmp_path_factory.mktemp("data"))
