"""The command of a container: the runner travels in it, so that no image can hold an old one."""

from __future__ import annotations

import functools
import json
from collections.abc import Sequence
from importlib.resources import files
from typing import Final

_PACKAGE: Final = "callsheet.tools.sandbox.inside"
# Each needs those before it.
_MODULES: Final = ("wire", "check", "files", "processes", "program", "install", "runner")
# Each text becomes the module that it is here, without the packages around it.
_BOOT: Final = """
import json, sys, types
preload, *texts = sys.argv[1:]
for name, text in zip(texts[::2], texts[1::2]):
    module = sys.modules[name] = types.ModuleType(name)
    exec(compile(text, name, "exec"), module.__dict__)
module.serve(json.loads(preload))
"""


def runner_command(preload: Sequence[str]) -> list[str]:
    """Start the runner with the modules `preload` imported before it says that it is ready."""
    return ["python3", "-I", "-c", _BOOT, json.dumps(list(preload)), *_texts()]


@functools.cache
def _texts() -> tuple[str, ...]:
    """The name of each module, and its text; read once."""
    return tuple(
        part
        for name in _MODULES
        for part in (f"{_PACKAGE}.{name}", (files(_PACKAGE) / f"{name}.py").read_text("utf-8"))
    )
