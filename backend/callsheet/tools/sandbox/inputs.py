"""Files of the session that a program finds in its folder."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from callsheet.kit.errors import ToolRetry
from callsheet.tools.artifact import Artifacts
from callsheet.tools.context import ToolContext
from callsheet.tools.sandbox.inside.files import is_safe_name
from callsheet.tools.sandbox.options import MIB, Limits
from callsheet.tools.sandbox.protocol import NamedFile


async def inputs_of(
    references: Sequence[str], ctx: ToolContext, artifacts: Artifacts, limits: Limits
) -> tuple[NamedFile, ...]:
    """The files that these names or ids stand for, each under its name.

    At most half of the program's folder, so that there is room for what it writes.

    Raises:
        ToolRetry: one is not there, or they are too many or too large.
        Unavailable: the database or the data folder is.
    """
    most_bytes = min(limits.files_bytes, limits.workspace_mib * MIB // 2)
    if len(references) > limits.files:
        raise ToolRetry(f"Name at most {limits.files} files.")
    files: dict[str, NamedFile] = {}
    for reference in references:
        left = most_bytes - sum(len(file.data) for file in files.values())
        found = await artifacts.find(ctx, reference)
        if found is None:
            raise ToolRetry(f"This session has no file {reference[:80]!r}.")
        artifact, read = found
        if not is_safe_name(artifact.name):
            raise ToolRetry(f"The file {reference[:80]!r} has a name that no program can use.")
        if artifact.size_bytes > left:
            raise ToolRetry(f"These files are larger than {most_bytes} bytes together.")
        data = await read()
        if data is None:
            raise ToolRetry(f"The file {reference[:80]!r} cannot be read any more.")
        if (other := _in_the_way(artifact.name, files)) is not None:
            raise ToolRetry(
                f"{other[:80]!r} and {artifact.name[:80]!r} cannot lie in one folder: one of them "
                "would have to be a file and a folder. Name one of them."
            )
        files[artifact.name] = NamedFile(artifact.name, data)
    return tuple(files.values())


def _in_the_way(name: str, others: Iterable[str]) -> str | None:
    """One of the others that would have to be a folder for it, or it for that one."""
    for other in others:
        if name.startswith(f"{other}/") or other.startswith(f"{name}/"):
            return other
    return None
