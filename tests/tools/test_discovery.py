"""Where a deployment's tools come from, and what comes of those that are broken."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Iterator, Sequence
from typing import Any, get_type_hints

import pytest
from structlog.testing import capture_logs

from callsheet.kit.errors import SetupError
from callsheet.settings.settings import Settings
from callsheet.settings.tools import ToolsSettings
from callsheet.tools import builtin
from callsheet.tools.builtin.catalog import builtin_tools, offers
from callsheet.tools.builtin.ports import BuiltinPorts
from callsheet.tools.facts import ToolFacts
from callsheet.tools.tool import Tool
from callsheet.wiring.tools import OWN, make_registry, settle
from tests.fakes.builtins import no_ports
from tests.fakes.plugin import Install, a_tool


def settings(**tools: Any) -> Settings:
    return Settings(tools=ToolsSettings(**tools))


def facts() -> Iterator[ToolFacts]:
    registry = make_registry(settings(plugins=False))
    return (registry.facts(name) for name in sorted(registry.names()))


def test_every_tool_of_the_package_is_offered_by_its_module() -> None:
    classes = {
        found.__qualname__
        for module in pkgutil.iter_modules(builtin.__path__, f"{builtin.__name__}.")
        for found in vars(importlib.import_module(module.name)).values()
        if inspect.isclass(found)
        and found.__module__ == module.name
        and all(hasattr(found, name) for name in ("name", "description", "Args", "run"))
    }
    offered = builtin_tools(no_ports())
    assert classes <= {type(tool).__qualname__ for tool in offered}
    assert {"Calculator", "AskUser"} <= classes


def test_what_a_module_offers_has_its_type() -> None:
    for offer in offers():
        assert get_type_hints(offer) == {"ports": BuiltinPorts, "return": Sequence[Tool]}


def test_built_in_tools_are_sound_and_told_to_people_in_both_languages() -> None:
    assert make_registry(settings(plugins=False)).problems() == ()
    for each in facts():
        assert (each.owner, each.origin) == (OWN, "builtin")
        assert {"en", "zh"} <= each.label.keys(), each.name
        assert each.summary.endswith("."), each.name
        assert "\n" not in each.summary, each.name
        assert each.group != "other", each.name


def test_each_source_can_be_left_out(install: Install) -> None:
    install("acme-tools", a_tool("red"), red="Red")
    assert make_registry(settings(builtins=False)).names() == {"red"}
    assert make_registry(settings(builtins=False, plugins=False)).names() == set()
    both = make_registry(settings())
    assert {"red", "calculator"} <= both.names()
    assert both.facts("red").origin == "plugin"
    assert both.facts("red").owner == "acme-tools"


def test_the_group_is_a_setting(install: Install) -> None:
    install("acme-tools", a_tool("red"), group="my.tools", red="Red")
    assert "red" not in make_registry(settings()).names()
    assert "red" in make_registry(settings(plugin_group="my.tools")).names()


def test_no_plugin_takes_the_name_of_a_built_in_tool(install: Install) -> None:
    install("acme-tools", a_tool("calculator"), calculator="Calculator")
    registry = make_registry(settings())
    assert registry.facts("calculator").owner == OWN
    (problem,) = registry.problems()
    assert problem.message == (
        "The tool 'calculator' is brought by both callsheet and acme-tools; the first one is used, "
        "rename the other."
    )


BROKEN = "raise RuntimeError('no licence')\n"


def test_what_is_broken_is_logged_and_the_others_are_there(install: Install) -> None:
    install("acme-tools", BROKEN, green="Green")
    install("zeta-tools", a_tool("red"), red="Red")
    registry = make_registry(settings())
    with capture_logs() as logs:
        settle(registry.problems(), fail_fast=False)
    assert [(line["log_level"], line["owner"], line["tool"]) for line in logs] == [
        ("warning", "acme-tools", "green")
    ]
    assert {"red", "calculator"} <= registry.names()
    assert "no licence" in registry.absent()["green"]


def test_fail_fast_refuses_and_names_all_of_them(install: Install) -> None:
    install("acme-tools", BROKEN, green="Green")
    install("zeta-tools", a_tool("calculator"), calculator="Calculator")
    problems = make_registry(settings()).problems()
    with pytest.raises(SetupError) as refused:
        settle(problems, fail_fast=True)
    assert "acme-tools" in str(refused.value)
    assert "both callsheet and zeta-tools" in str(refused.value)
    settle((), fail_fast=True)
