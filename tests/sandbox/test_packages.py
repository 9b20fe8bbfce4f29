"""Packages that a program wants installed, and what the model is told of the tool."""

from __future__ import annotations

from dataclasses import replace

import pytest

from callsheet.tools.sandbox.options import InstallOptions, SandboxOptions
from callsheet.tools.sandbox.python_executor import PythonExecutor
from callsheet.tools.schema import function_schema
from tests.fakes.sandbox_run import KeptInMemory
from tests.sandbox.tool_calls import OPTIONS, FakeSandbox, call


def parameters(options: SandboxOptions) -> set[str]:
    schema = function_schema(PythonExecutor(FakeSandbox(), KeptInMemory(), options))
    return set(schema["function"]["parameters"]["properties"])


def test_packages_can_be_asked_for_only_where_they_may_be_installed() -> None:
    assert parameters(OPTIONS) == {"code", "files", "timeout_s"}
    assert parameters(replace(OPTIONS, install=InstallOptions("bridge"))) == {
        "code",
        "files",
        "timeout_s",
        "install_packages",
    }


@pytest.mark.parametrize(
    "package",
    [
        "-r",
        "--index-url=http://x",
        "a b",
        "git+https://x/y",
        "../x",
        "/x.whl",
        "x; rm -rf /",
        "x@y",
    ],
)
async def test_what_is_no_name_of_a_package_is_refused(package: str) -> None:
    sandbox = FakeSandbox()

    report = await call(
        sandbox,
        options=replace(OPTIONS, install=InstallOptions("bridge")),
        install_packages=["shapely==2.1.0", package],
    )

    assert report["status"] == "rejected"
    assert sandbox.programs == []


async def test_names_of_packages_go_along_with_the_program() -> None:
    sandbox = FakeSandbox()
    allowed = replace(OPTIONS, install=InstallOptions("bridge"))

    await call(sandbox, options=allowed, install_packages=["shapely==2.1.0", "x"])

    assert sandbox.programs[0].packages == ("shapely==2.1.0", "x")


def test_the_description_says_what_there_is() -> None:
    tool = PythonExecutor(FakeSandbox(), KeptInMemory(), OPTIONS)

    assert "numpy, pandas" in tool.description
    assert "csv, png" in tool.description
    assert "There is no network." in tool.description
