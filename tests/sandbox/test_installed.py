"""Packages that are installed for a program: over a network that is gone when it begins."""

from __future__ import annotations

import io
import zipfile
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from uuid import uuid4

import pytest

from callsheet.tools.sandbox.image.client import engine_client
from callsheet.tools.sandbox.options import InstallOptions, PoolOptions
from callsheet.tools.sandbox.protocol import NamedFile, Program
from tests.fakes.sandbox_run import OPTIONS, Bench, bench
from tests.sandbox.fake_engine import Watched

pytestmark = [pytest.mark.needs("docker"), pytest.mark.timeout(180)]

WHEEL = "tiny-1.0-py3-none-any.whl"


def wheel() -> bytes:
    """A package with one module."""
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w") as archive:
        archive.writestr("tiny.py", "ANSWER = 42\n")
        about = "tiny-1.0.dist-info"
        archive.writestr(f"{about}/METADATA", "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n")
        archive.writestr(
            f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr(f"{about}/RECORD", "")
    return raw.getvalue()


INDEX = (
    NamedFile(f"simple/tiny/{WHEEL}", wheel()),
    NamedFile("simple/tiny/index.html", f'<a href="{WHEEL}">{WHEEL}</a>'.encode()),
)


@pytest.fixture
def network() -> Iterator[str]:
    """A network of the engine's that leads nowhere."""
    name = f"callsheet-test-{uuid4().hex[:8]}"
    with engine_client(None) as client:
        client.create_network(name, internal=True)
        yield name
        client.remove_network(name)


@pytest.fixture
async def made(network: str) -> AsyncIterator[Bench]:
    install = InstallOptions(network, index="file:///workspace/simple")
    async with bench(replace(OPTIONS, install=install, pool=PoolOptions(size=0))) as opened:
        yield opened


async def test_a_package_is_there_and_the_network_is_not(made: Bench) -> None:
    code = """
import tiny, os, socket
print(tiny.ANSWER, sorted(os.listdir("/sys/class/net")))
"""
    watched = Watched()

    result = await made.sandbox.run(Program(code, 30, INDEX, ("tiny==1.0",)), watched)

    assert (result.status, result.stderr) == ("ok", "")
    assert result.stdout == "42 ['lo']\n"
    assert watched.stages == ["starting", "installing", "running"]
    assert result.files == ()


async def test_where_one_is_not_to_be_had_the_program_is_not_run(made: Bench) -> None:
    watched = Watched()

    result = await made.sandbox.run(Program("print(1)", 30, INDEX, ("huge==2",)), watched)

    assert result.status == "error"
    assert result.reason == "The packages could not be installed, so the program was not run."
    assert "huge==2" in result.stderr
    assert watched.said == []
