"""Each of the 25 failure rules has a test that is named after it."""

from __future__ import annotations

import re
from pathlib import Path


def test_each_of_the_25_rules_has_its_test() -> None:
    here = Path(__file__).parent
    text = "".join(file.read_text() for file in here.glob("test_*_rules.py"))
    found = {int(number) for number in re.findall(r"def test_rule_(\d\d)_\w{20,}\(", text)}
    assert found == set(range(1, 26))
