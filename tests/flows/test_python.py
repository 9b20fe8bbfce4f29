"""A program that a model wrote, through HTTP: its output as it comes, its file, its report."""

from __future__ import annotations

import json
from typing import Any

from tests.fakes.chat_script import chat_script

CODE = """
import sys
print("first", flush=True)
print("problem", file=sys.stderr, flush=True)
open("out.csv", "w").write("a,b\\n1,2\\n")
print("last")
"""


def runs(code: str) -> Any:
    calls = [{"name": "python_executor", "arguments": json.dumps({"code": code})}]
    return chat_script(complexity="simple", execution={"tools": calls})
