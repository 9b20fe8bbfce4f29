"""The tool that runs Python programs in a sandbox."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final
from uuid import UUID

from pydantic import BaseModel, Field, create_model

from callsheet.kit.errors import ToolFailed, Unavailable
from callsheet.kit.ids import new_id
from callsheet.kit.log import get_log
from callsheet.tools.artifact import Artifact, Artifacts, NotKept
from callsheet.tools.context import ToolContext
from callsheet.tools.sandbox import packages as package_names
from callsheet.tools.sandbox.file_types import type_of
from callsheet.tools.sandbox.inputs import inputs_of
from callsheet.tools.sandbox.options import SandboxOptions
from callsheet.tools.sandbox.precheck import reason_against
from callsheet.tools.sandbox.protocol import (
    ExecutionResult,
    NamedFile,
    Program,
    Sandbox,
    SandboxBusy,
    SandboxUnavailable,
    Skipped,
    Stage,
    Stream,
)
from callsheet.tools.sandbox.report import report_of

ACTIVITY: Final = "callsheet.sandbox"
_MARGIN_S: Final = 4.0
"""Of the call's time, for what has to be done when the program has ended."""

_log = get_log(__name__)


class PythonArgs(BaseModel):
    """The program."""

    code: str = Field(description="The complete program. Print what you want to see.")
    files: list[str] = Field(
        default_factory=list,
        description="Files of this session that it needs in its folder, by name or id.",
    )
    timeout_s: int | None = Field(
        default=None, ge=1, description="Seconds that it may take, where the usual do not suffice."
    )


class PythonExecutor:
    """Runs one program in a container of its own; nothing of it is there for the next one."""

    name: ClassVar[str] = "python_executor"
    group: ClassVar[str] = "code"
    label: ClassVar[Mapping[str, str]] = {"en": "Run Python", "zh": "运行 Python"}
    summary: ClassVar[str] = "Runs a Python program in a sealed container."
    idempotent: ClassVar[bool] = True  # nothing outside its container can notice that it ran

    def __init__(self, sandbox: Sandbox, artifacts: Artifacts, options: SandboxOptions) -> None:
        self._sandbox = sandbox
        self._artifacts = artifacts
        self._options = options
        self.Args: type[BaseModel] = _args(options)

    @property
    def description(self) -> str:
        """Tells the model what there is, and what there is not."""
        limits, endings = self._options.limits, ", ".join(self._options.suffixes)
        network = (
            "There is no network."
            if self._options.install is None
            else "There is no network but for installing packages."
        )
        return (
            "Runs a Python program and returns its output and its files. Installed: "
            f"{', '.join(self._options.packages)}. {network} Each call begins anew: nothing of an "
            "earlier call is there, no variable, and no file but those in `files`. Files that the "
            "program leaves in its folder are given to the user and can be used by later calls "
            f"({endings}); open pyplot figures are saved as PNG. At "
            f"most {limits.timeout_s:g} s, {limits.memory_mib} MiB of memory."
        )

    def unavailable(self) -> str | None:
        """Why programs cannot be run now; `callsheet doctor` says more."""
        state = self._sandbox.state()
        return None if state.ready else state.told

    async def run(self, args: Any, ctx: ToolContext) -> dict[str, Any]:
        """Whatever becomes of the program is a result; the sandbox's own faults are ToolFailed."""
        code, packages = args.code, tuple(getattr(args, "install_packages", ()))
        if (reason := self._refusal(code, packages)) is not None:
            return report_of(ExecutionResult("rejected", reason=reason), (), (), ())
        files = await self._inputs(args.files, ctx)
        program = Program(code, self._timeout_s(args.timeout_s, ctx), files, packages)
        result = await self._execute(program, ctx)
        artifacts, lost = await self._keep(result.files, ctx)
        return report_of(result, artifacts, (*result.skipped, *lost), self._options.packages)

    async def _inputs(self, references: list[str], ctx: ToolContext) -> tuple[NamedFile, ...]:
        try:
            return await inputs_of(references, ctx, self._artifacts, self._options.limits)
        except Unavailable as error:
            raise ToolFailed("The files of this session cannot be had now.") from error

    def _refusal(self, code: str, packages: tuple[str, ...]) -> str | None:
        refusal = reason_against(code, most_bytes=self._options.limits.code_bytes)
        return refusal or package_names.reason_against(packages)

    def _timeout_s(self, asked_s: int | None, ctx: ToolContext) -> float:
        limits = self._options.limits
        wanted_s = min(asked_s or limits.timeout_s, limits.max_timeout_s)
        return max(1.0, min(wanted_s, ctx.deadline.left_s() - _MARGIN_S))

    async def _execute(self, program: Program, ctx: ToolContext) -> ExecutionResult:
        watch = _Told(ctx)
        try:
            return await self._sandbox.run(program, watch)
        except SandboxBusy as error:
            raise ToolFailed("All sandboxes are busy; try again later.") from error
        except SandboxUnavailable as error:
            _log.exception("sandbox_failed", tool_call_id=ctx.tool_call_id, error=str(error))
            raise ToolFailed(
                "The sandbox that runs programs failed; the program is not the reason. Go on "
                "without it."
            ) from error
        finally:
            watch.end()

    async def _keep(
        self, files: tuple[NamedFile, ...], ctx: ToolContext
    ) -> tuple[list[Artifact], list[Skipped]]:
        kept: list[Artifact] = []
        lost: list[Skipped] = []
        for file in files:
            kind = type_of(file.name)
            media_type = kind.media_type if kind else ""
            try:
                kept.append(await self._artifacts.keep(ctx, file.name, file.data, media_type))
            except NotKept as error:
                lost.append(Skipped(file.name, str(error)))
            except Unavailable:
                _log.exception("artifact_not_kept", tool_call_id=ctx.tool_call_id)
                lost.append(Skipped(file.name, "it could not be stored"))
        return kept, lost


def _args(options: SandboxOptions) -> type[BaseModel]:
    """The arguments; packages can be asked for only where they may be installed."""
    if options.install is None:
        return PythonArgs
    wanted: Any = Field(
        default_factory=list,
        max_length=package_names.MOST,
        description="Packages that the program needs and that are not installed.",
    )
    made: type[BaseModel] = create_model(
        "PythonArgs", __base__=PythonArgs, install_packages=(list[str], wanted)
    )
    return made


class _Told:
    """Implements `Watch`: shows output as it comes, and a wait where there is one."""

    def __init__(self, ctx: ToolContext) -> None:
        self._tell = ctx.tell
        self._call = ctx.tool_call_id
        self._id: UUID | None = None

    def output(self, stream: Stream, text: str) -> None:
        """As the protocol says."""
        self._tell.output(stream, text)

    def stage(self, stage: Stage, detail: str) -> None:
        """As the protocol says; nothing is shown of a program that runs at once."""
        if self._id is None and stage == "running":
            return
        self._show(stage, detail)

    def end(self) -> None:
        """It is over, however."""
        if self._id is not None:
            self._show("ended", "")

    def _show(self, stage: str, detail: str) -> None:
        self._id = self._id or new_id()
        content = {"toolCallId": self._call, "stage": stage, "detail": detail}
        self._tell.show(ACTIVITY, self._id, content)
