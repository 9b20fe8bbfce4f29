from __future__ import annotations

import ast

import pytest

from callsheet.tools.sandbox.inside.check import findings
from callsheet.tools.sandbox.options import CHECKS


def met(code: str) -> list[tuple[str, int]]:
    return [(str(one["name"]), int(str(one["line"]))) for one in findings(ast.parse(code), CHECKS)]


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("import ctypes", [("ctypes", 1)]),
        ("import ctypes.util as u", [("ctypes", 1)]),
        ("from ctypes import CDLL", [("ctypes", 1)]),
        ("x = 1\nfrom multiprocessing.pool import Pool", [("multiprocessing", 2)]),
        ("import signal\nsignal.alarm(3)", [("signal", 1)]),
        ("import os\nos.system('ls')", [("os.system", 2)]),
        ("import os as o\nf = o.system", [("os.system", 2)]),
        ("from os import system as s\ns('ls')", [("os.system", 1)]),
        ("import subprocess", [("subprocess", 1)]),
        ("print(eval('1'))\nexec('x = 1')", [("eval", 1), ("exec", 2)]),
        ("__import__('ctypes')", [("ctypes", 1)]),
        ("import importlib\nimportlib.import_module('ctypes')", [("ctypes", 2)]),
        ("import os\nwhile True:\n  os.fork()", [("fork_bomb", 3)]),
        ("import os\nfor _ in range(9):\n  if os.fork(): pass", [("fork_bomb", 3)]),
        ("from os import fork\ndef f():\n  fork()\n  f()\nf()", [("fork_bomb", 3)]),
    ],
)
def test_what_is_found(code: str, found: list[tuple[str, int]]) -> None:
    assert met(code) == found


@pytest.mark.parametrize(
    "code",
    [
        "import os\nprint(os.getpid())",
        "import pandas as pd\npd.eval('1 + 1')",
        "model.eval()",
        "class A:\n  def exec(self): ...\nA().exec()",
        "import os\nif os.fork() == 0: os._exit(0)",
        "from .ctypes import x",
        "system = 1\nprint(system)",
        "text = 'import ctypes'",
        "def f(n): return f(n - 1) if n else 0",
    ],
)
def test_what_is_left_alone(code: str) -> None:
    assert met(code) == []


def test_each_rule_is_told_once_with_what_it_does() -> None:
    code = "import ctypes\nimport ctypes.util\nctypes.CDLL(None)\nimport subprocess\n"

    assert findings(ast.parse(code), CHECKS) == [
        {"name": "ctypes", "action": "block", "line": 1},
        {"name": "subprocess", "action": "warn", "line": 4},
    ]


def test_rules_are_those_that_are_given() -> None:
    tree = ast.parse("import ctypes, socket\nsocket.socket()")

    assert findings(tree, {"socket.socket": "warn"}) == [
        {"name": "socket.socket", "action": "warn", "line": 2}
    ]
