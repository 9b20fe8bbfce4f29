from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from callsheet.settings.load import load_settings
from callsheet.settings.names import variables
from callsheet.settings.settings import Settings
from tests.architecture.sources import ROOT

EXAMPLE: Final = (ROOT / ".env.example").read_text("utf-8")
LISTED: Final = dict(re.findall(r"^#? ?(CALLSHEET_[A-Z0-9_]+)=(.*)$", EXAMPLE, flags=re.MULTILINE))


def test_the_example_lists_every_setting_and_no_vendor() -> None:
    known = [variable.name for variable in variables() if "<" not in variable.name]

    assert sorted(LISTED) == sorted(known)


def test_the_example_as_it_stands_is_the_default(tmp_path: Path) -> None:
    loaded = load_settings(LISTED, env_file=tmp_path / "none")

    assert loaded.settings == Settings()
    assert loaded.warnings == ()
