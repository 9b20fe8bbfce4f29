"""What the model is told of an execution."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from callsheet.tools.artifact import Artifact
from callsheet.tools.sandbox.protocol import ExecutionResult, Skipped

_MISSING: Final = re.compile(r"^ModuleNotFoundError: No module named '([^']{1,80})'", re.MULTILINE)


def report_of(
    result: ExecutionResult,
    artifacts: Sequence[Artifact],
    skipped: Sequence[Skipped],
    packages: Sequence[str],
) -> dict[str, Any]:
    """Plain data; what is not there is left out, but the status, the exit code and both streams."""
    report: dict[str, Any] = {
        "status": result.status,
        "exit_code": result.exit_code,
        "stdout": result.stdout,
        "stderr": result.stderr,
    }
    if result.reason:
        report["reason"] = result.reason
    if result.dropped_bytes:
        report["truncated"] = f"{result.dropped_bytes} more bytes of output were dropped."
    if artifacts:
        report["artifacts"] = [
            {
                "id": str(each.id),
                "name": each.name,
                "media_type": each.media_type,
                "size": each.size_bytes,
            }
            for each in artifacts
        ]
    if skipped:
        report["files_not_kept"] = [{"name": each.name, "reason": each.reason} for each in skipped]
    if warned := [one for one in result.findings if one.action == "warn"]:
        report["warnings"] = [f"line {one.line}: {one.name}" for one in warned]
    if (hint := hint_for(result, packages)) is not None:
        report["hint"] = hint
    return report


def hint_for(result: ExecutionResult, packages: Sequence[str]) -> str | None:
    """What helps where a module is missing."""
    found = _MISSING.search(result.stderr)
    if found is None or result.status != "error":
        return None
    return (
        f"{found[1]!r} is not installed. Beside Python's own library there are: "
        f"{', '.join(packages)}. Do it with these."
    )
