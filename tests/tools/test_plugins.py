"""Packages offer tools by entry points, in four forms; one that fails takes no other away."""

from __future__ import annotations

from pathlib import Path

import pytest

from callsheet.tools.function import FunctionTool
from callsheet.tools.plugins import Plugin, load_plugins
from tests.fakes.plugin import GROUP, Install, a_tool


def names(plugin: Plugin) -> list[str]:
    return [tool.name for tool in plugin.tools]


@pytest.mark.parametrize(
    ("source", "where", "expected"),
    [
        (a_tool("red"), "Red", ["red"]),
        (a_tool("red") + "red = Red()\n", "red", ["red"]),
        (a_tool("red") + "def make():\n    return Red()\n", "make", ["red"]),
        (a_tool("red") + "def make():\n    return Red\n", "make", ["red"]),
        (a_tool("red") + "make = lambda: Red()\n", "make", ["red"]),
        (a_tool("red") + a_tool("blue") + "all = (Red, Blue())\n", "all", ["red", "blue"]),
        (
            a_tool("red") + a_tool("blue") + "def each():\n    yield Red\n    yield [Blue]\n",
            "each",
            ["red", "blue"],
        ),
        ("def add(a: int, b: int) -> int:\n    'Add.'\n    return a + b\n", "add", ["add"]),
    ],
    ids=["class", "object", "factory", "factory of class", "lambda", "list", "nested", "function"],
)
def test_a_package_offers_a_tool_in_many_forms(
    install: Install, source: str, where: str, expected: list[str]
) -> None:
    install("acme-tools", source, one=where)
    (plugin,) = load_plugins(GROUP)
    assert (plugin.owner, plugin.name, plugin.problems) == ("acme-tools", "one", ())
    assert names(plugin) == expected


def test_a_function_with_parameters_is_a_tool_and_no_factory(install: Install) -> None:
    install("acme-tools", "def add(a: int = 1) -> int:\n    'Add.'\n    return a\n", add="add")
    ((tool,),) = [plugin.tools for plugin in load_plugins(GROUP)]
    assert isinstance(tool, FunctionTool)


@pytest.mark.parametrize(
    ("source", "where", "why"),
    [
        ("raise RuntimeError('no licence')\n", "Red", "cannot be loaded: RuntimeError: no licence"),
        ("import no_such_module\n", "Red", "ModuleNotFoundError"),
        ("raise SystemExit(2)\n", "Red", "cannot be loaded: SystemExit: 2"),
        ("", "Missing", "AttributeError"),
        ("red = 3\n", "red", "3 is no tool"),
        ("red = 'Red'\n", "red", "'Red' is no tool"),
        ("red = {'red': 1}\n", "red", "is no tool"),
        ("red = []\n", "red", "brings no tool"),
        ("class Red:\n    name = 'red'\n", "Red", "is no tool: it lacks description, Args, run"),
        ("class Red:\n    def __init__(self, x): ...\n", "Red", "could not be made: TypeError"),
        ("def red():\n    raise OSError('away')\n", "red", "could not be made: OSError: away"),
        ("def red(a):\n    'Untyped.'\n", "red", "parameter 'a' of acme_tools.red has no type"),
        ("def red():\n    yield 1 / 0\n", "red", "ZeroDivisionError"),
        ("def red():\n    return red\n", "red", "nested too deeply"),
    ],
)
def test_one_that_fails_is_told_with_its_distribution_and_takes_no_other_away(
    install: Install, source: str, where: str, why: str
) -> None:
    install("acme-tools", source, broken=where)
    install("zeta-tools", a_tool("blue"), blue="Blue")
    broken, sound = load_plugins(GROUP)
    assert (broken.owner, broken.tools) == ("acme-tools", ())
    (problem,) = broken.problems
    assert problem.startswith(f"The plugin acme-tools (broken = acme_tools:{where})")
    assert why in problem
    assert names(sound) == ["blue"]


def test_of_a_list_only_what_is_wrong_is_left_out(install: Install) -> None:
    install("acme-tools", a_tool("red") + a_tool("blue") + "all = [Red, 5, Blue]\n", all="all")
    (plugin,) = load_plugins(GROUP)
    assert names(plugin) == ["red", "blue"]
    assert len(plugin.problems) == 1


def test_the_order_is_that_of_names_wherever_packages_lie(install: Install) -> None:
    for distribution in ("zeta", "acme", "mint"):
        install(distribution, a_tool("red") + a_tool("blue"), b="Blue", a="Red")
    found = [(plugin.owner, plugin.name) for plugin in load_plugins(GROUP)]
    assert found == [(owner, name) for owner in ("acme", "mint", "zeta") for name in "ab"]


def test_only_the_group_that_is_asked_for_is_imported(install: Install, tmp_path: Path) -> None:
    seen = tmp_path / "imported"
    source = f"open({str(seen)!r}, 'a').close()\n" + a_tool("red")
    install("other-tools", source, group="other.tools", red="Red")
    assert load_plugins(GROUP) == []
    assert not seen.exists()
    assert [plugin.owner for plugin in load_plugins("other.tools")] == ["other-tools"]
    assert seen.exists()


def test_what_a_package_prints_is_no_part_of_an_answer(
    install: Install, capsys: pytest.CaptureFixture[str]
) -> None:
    install("acme-tools", "print('Hello from Acme')\n" + a_tool("red"), red="Red")
    assert names(load_plugins(GROUP)[0]) == ["red"]
    said = capsys.readouterr()
    assert (said.out, said.err) == ("", "Hello from Acme\n")
