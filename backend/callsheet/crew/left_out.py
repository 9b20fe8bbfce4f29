"""Libraries that CrewAI imports and this product never uses: they are not loaded.

ChromaDB serves CrewAI's knowledge and memory, the OpenAI SDK its own model classes; neither is on
our path, and together they are 3 s of CPU and 35 MiB of every process. While CrewAI is imported
their names stand for empty classes. Afterwards the names are free again, so that whoever really
wants the libraries (LiteLLM does) imports the real ones.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import sys
import types
from collections.abc import Iterator, MutableSequence
from contextlib import contextmanager
from typing import Any, Final

from pydantic_core import CoreSchema, core_schema

LEFT_OUT: Final = frozenset({"chromadb", "openai"})


@contextmanager
def left_out() -> Iterator[None]:
    """Inside the block an import of these libraries gives stand-ins; one that is loaded stays."""
    absent = frozenset(name for name in LEFT_OUT if name not in sys.modules)
    finder = _Finder(absent)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        for name in [each for each in sys.modules if each.partition(".")[0] in absent]:
            del sys.modules[name]


class _Absent:
    """Stands for any class of a library that is left out; useless, but fit for an annotation."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        del args, kwargs

    def __class_getitem__(cls, item: Any) -> type[_Absent]:
        return cls

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> CoreSchema:
        return core_schema.any_schema()


class _AbsentModule(types.ModuleType):
    """Has every name, each for an empty class."""

    __path__: MutableSequence[str] = []  # noqa: RUF012 - a package, with nothing in it

    def __getattr__(self, name: str) -> type[_Absent]:
        if name.startswith("__"):
            raise AttributeError(name)
        made = type(name, (_Absent,), {})
        setattr(self, name, made)
        return made


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the libraries that are left out, and their submodules, before anyone else does."""

    def __init__(self, names: frozenset[str]) -> None:
        self._names = names

    def find_spec(
        self, fullname: str, path: Any, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname.partition(".")[0] not in self._names:
            return None
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        return _AbsentModule(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        """Nothing to run."""
