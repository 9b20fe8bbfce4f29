"""Calls of the tool over a sandbox that gives what it is told."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from callsheet.kit.clock import SystemClock
from callsheet.kit.deadline import Deadline
from callsheet.tools.context import ToolContext
from callsheet.tools.result import result_text
from callsheet.tools.sandbox.options import SandboxOptions
from callsheet.tools.sandbox.protocol import (
    ExecutionResult,
    Program,
    SandboxState,
    Stage,
    Watch,
)
from callsheet.tools.sandbox.python_executor import PythonExecutor
from tests.fakes.sandbox_run import Heard, KeptInMemory

OPTIONS = SandboxOptions(suffixes=("csv", "png"), packages=("numpy", "pandas"))


@dataclass
class FakeSandbox:
    """Implements `Sandbox`: gives `result`, or raises it."""

    result: ExecutionResult | Exception = field(default_factory=lambda: ExecutionResult("ok", 0))
    said: Sequence[str] = ()
    stages: Sequence[Stage] = ("running",)
    kind: SandboxState = field(default_factory=lambda: SandboxState("ready"))
    programs: list[Program] = field(default_factory=list)

    async def run(self, program: Program, watch: Watch) -> ExecutionResult:
        self.programs.append(program)
        for stage in self.stages:
            watch.stage(stage, "")
        for text in self.said:
            watch.output("stdout", text)
        if isinstance(self.result, Exception):
            raise self.result
        return self.result

    def state(self) -> SandboxState:
        return self.kind


def context(heard: Heard | None = None, left_s: float = 300) -> ToolContext:
    return ToolContext(
        user_id=uuid4(),
        session_id=uuid4(),
        run_id=uuid4(),
        tool_call_id="call-1",
        agent="coder",
        deadline=Deadline.after(left_s),
        clock=SystemClock(),
        tell=heard or Heard(),
    )


async def call(
    sandbox: FakeSandbox,
    code: str = "print(1)",
    *,
    options: SandboxOptions = OPTIONS,
    ctx: ToolContext | None = None,
    artifacts: KeptInMemory | None = None,
    **args: Any,
) -> dict[str, Any]:
    tool = PythonExecutor(sandbox, artifacts or KeptInMemory(), options)
    result = await tool.run(tool.Args(code=code, **args), ctx or context())
    report: dict[str, Any] = json.loads(result_text(result))
    return report
