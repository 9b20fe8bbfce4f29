"""What the model, the client and the log get, whatever becomes of a program."""

from __future__ import annotations

import pytest

from callsheet.kit.errors import ToolFailed, Unavailable
from callsheet.tools.artifact import Artifact, NotKept
from callsheet.tools.context import ToolContext
from callsheet.tools.sandbox.protocol import (
    ExecutionResult,
    Finding,
    NamedFile,
    SandboxBusy,
    SandboxState,
    SandboxUnavailable,
    Skipped,
)
from callsheet.tools.sandbox.python_executor import PythonExecutor
from tests.fakes.sandbox_run import Heard, KeptInMemory
from tests.sandbox.tool_calls import OPTIONS, FakeSandbox, call, context


async def test_the_model_gets_status_exit_code_and_both_streams() -> None:
    found = ExecutionResult("error", 3, stdout="bye\n", stderr="oh\n")

    assert await call(FakeSandbox(found)) == {
        "status": "error",
        "exit_code": 3,
        "stdout": "bye\n",
        "stderr": "oh\n",
    }


async def test_what_is_dropped_skipped_or_warned_of_is_told() -> None:
    found = ExecutionResult(
        "timeout",
        dropped_bytes=7,
        skipped=(Skipped("big.csv", "it is larger"),),
        findings=(Finding("subprocess", "warn", 2),),
        reason="It was stopped after 4 s.",
    )

    report = await call(FakeSandbox(found))

    assert report["reason"] == "It was stopped after 4 s."
    assert report["truncated"] == "7 more bytes of output were dropped."
    assert report["files_not_kept"] == [{"name": "big.csv", "reason": "it is larger"}]
    assert report["warnings"] == ["line 2: subprocess"]


async def test_files_are_kept_and_named_with_their_ids() -> None:
    kept = KeptInMemory()
    found = ExecutionResult("ok", 0, files=(NamedFile("out/a.csv", b"1,2"),))

    report = await call(FakeSandbox(found), artifacts=kept)

    assert kept.files == {"out/a.csv": b"1,2"}
    [artifact] = report["artifacts"]
    assert (artifact["name"], artifact["media_type"], artifact["size"]) == (
        "out/a.csv",
        "text/csv",
        3,
    )


class Refusing(KeptInMemory):
    """Keeps nothing that begins with `no`, and is broken for what begins with `bad`."""

    async def keep(
        self, ctx: ToolContext, name: str, data: bytes, media_type: str = ""
    ) -> Artifact:
        if name.startswith("no"):
            raise NotKept("The session has 100 files already.")
        if name.startswith("bad"):
            raise Unavailable("disk /srv/data is full", service="storage")
        return await super().keep(ctx, name, data, media_type)


async def test_a_file_that_cannot_be_kept_takes_nothing_else_away() -> None:
    names = ("no.csv", "bad.csv", "yes.csv")
    found = ExecutionResult("ok", 0, stdout="1\n", files=tuple(NamedFile(n, b"") for n in names))

    report = await call(FakeSandbox(found), artifacts=Refusing())

    assert [one["name"] for one in report["artifacts"]] == ["yes.csv"]
    assert report["files_not_kept"] == [
        {"name": "no.csv", "reason": "The session has 100 files already."},
        {"name": "bad.csv", "reason": "it could not be stored"},
    ]
    assert report["stdout"] == "1\n"


async def test_a_missing_module_is_answered_with_what_there_is() -> None:
    stderr = "Traceback ...\nModuleNotFoundError: No module named 'torch'\n"

    report = await call(FakeSandbox(ExecutionResult("error", 1, stderr=stderr)))

    assert report["hint"] == (
        "'torch' is not installed. Beside Python's own library there are: numpy, pandas. "
        "Do it with these."
    )


@pytest.mark.parametrize("code", ["x\0y", "'\ud800'", "#" * 65_537, "# coding: utf-7\n"])
async def test_what_is_no_clean_text_reaches_no_container(code: str) -> None:
    sandbox = FakeSandbox()

    report = await call(sandbox, code)

    assert report["status"] == "rejected"
    assert report["reason"]
    assert sandbox.programs == []


@pytest.mark.parametrize(
    ("asked_s", "left_s", "expected_s"),
    [(None, 300, 30), (10, 300, 10), (100_000, 300, 120), (None, 14, 10), (60, 1, 1)],
)
async def test_time_is_bounded_by_the_limits_and_by_what_the_call_has_left(
    asked_s: int | None, left_s: float, expected_s: float
) -> None:
    sandbox = FakeSandbox()

    await call(sandbox, ctx=context(left_s=left_s), timeout_s=asked_s)

    assert sandbox.programs[0].timeout_s == pytest.approx(expected_s, abs=0.5)


async def test_output_is_shown_as_it_comes() -> None:
    heard = Heard()

    await call(FakeSandbox(said=("a", "b")), ctx=context(heard))

    assert heard.outputs == [("stdout", "a"), ("stdout", "b")]
    assert heard.activities == []


async def test_a_wait_is_shown_and_taken_back() -> None:
    heard = Heard()

    await call(FakeSandbox(stages=("queued", "starting", "running")), ctx=context(heard))

    assert [one["stage"] for _, one in heard.activities] == [
        "queued",
        "starting",
        "running",
        "ended",
    ]
    assert {name for name, _ in heard.activities} == {"callsheet.sandbox"}
    assert {one["toolCallId"] for _, one in heard.activities} == {"call-1"}


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (
            SandboxUnavailable("dial unix /run/docker.sock: refused"),
            "the program is not the reason",
        ),
        (SandboxBusy("All places of the sandbox are taken."), "busy"),
    ],
)
async def test_a_fault_of_the_sandbox_is_never_the_program_s(fault: Exception, said: str) -> None:
    with pytest.raises(ToolFailed, match=said) as caught:
        await call(FakeSandbox(fault))

    assert "docker.sock" not in str(caught.value)


def test_the_tool_is_not_there_without_an_engine_and_says_why_but_not_where() -> None:
    away = SandboxState("no_engine", "No Docker engine answers at unix:///var/run/docker.sock.")
    sandbox = FakeSandbox(kind=away)
    tool = PythonExecutor(sandbox, KeptInMemory(), OPTIONS)
    assert tool.unavailable() == "No Docker engine answers."

    sandbox.kind = SandboxState("ready")
    assert tool.unavailable() is None
