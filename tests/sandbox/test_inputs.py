"""Files of the session in the hands of a program."""

from __future__ import annotations

from dataclasses import replace

import pytest

from callsheet.kit.errors import ToolFailed, ToolRetry, Unavailable
from callsheet.tools.artifact import Artifact, Read
from callsheet.tools.context import ToolContext
from callsheet.tools.sandbox.options import Limits, PoolOptions
from callsheet.tools.sandbox.protocol import NamedFile
from tests.fakes.sandbox_run import OPTIONS as REAL
from tests.fakes.sandbox_run import KeptInMemory, bench
from tests.sandbox.tool_calls import OPTIONS, FakeSandbox, call


async def test_files_that_are_named_go_along_with_the_program() -> None:
    sandbox = FakeSandbox()
    kept = KeptInMemory({"a.csv": b"1,2", "out/b.csv": b"3", "c.csv": b""})

    await call(sandbox, artifacts=kept, files=["a.csv", "out/b.csv", "a.csv"])

    assert sandbox.programs[0].files == (NamedFile("a.csv", b"1,2"), NamedFile("out/b.csv", b"3"))


@pytest.mark.parametrize(
    ("files", "said"),
    [
        (["a.csv", "missing.csv"], "no file 'missing.csv'"),
        (["../a.csv"], "no program can use"),
        (["a.csv", "large.csv"], "larger than 10 bytes together"),
        (["a.csv", "a.csv", "a.csv", "a.csv"], "at most 3 files"),
        (["b", "b/c.csv"], "cannot lie in one folder"),
        (["b/c.csv", "b"], "cannot lie in one folder"),
    ],
)
async def test_what_cannot_go_along_is_told_to_the_model(files: list[str], said: str) -> None:
    sandbox = FakeSandbox()
    kept = KeptInMemory(
        {"a.csv": b"1,2", "../a.csv": b"", "large.csv": b"12345678", "b": b"", "b/c.csv": b""}
    )
    limits = Limits(files=3, files_bytes=10)

    with pytest.raises(ToolRetry, match=said):
        await call(sandbox, options=replace(OPTIONS, limits=limits), artifacts=kept, files=files)

    assert sandbox.programs == []


class Away(KeptInMemory):
    async def find(self, ctx: ToolContext, reference: str) -> tuple[Artifact, Read] | None:
        raise Unavailable("disk /srv/data is away", service="storage")


async def test_a_store_that_is_away_is_told_without_its_secrets() -> None:
    with pytest.raises(ToolFailed, match=r"cannot be had now\.$"):
        await call(FakeSandbox(), artifacts=Away(), files=["a.csv"])


@pytest.mark.needs("docker")
async def test_a_program_reads_what_an_earlier_one_wrote_and_may_change_it() -> None:
    first = "open('out.csv', 'w').write('1')\nimport os\nos.mkdir('sub')\nopen('sub/b.txt', 'w')"
    second = "print(open('out.csv').read(), open('sub/b.txt').read() == '')"
    third = "open('out.csv', 'a').write('2')"
    names = ["out.csv", "sub/b.txt"]
    async with bench(replace(REAL, pool=PoolOptions(size=0))) as made:
        await made.result(first)
        read = await made.result(second, files=names)
        changed = await made.result(third, files=names)

    assert read == {"status": "ok", "exit_code": 0, "stdout": "1 True\n", "stderr": ""}
    assert [one["name"] for one in changed["artifacts"]] == ["out.csv"]
    assert made.artifacts.files["out.csv"] == b"12"
