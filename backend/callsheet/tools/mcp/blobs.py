"""Bytes that come with a server's answer, kept as files of the session."""

from __future__ import annotations

import mimetypes
from typing import Final

from callsheet.kit.errors import AppError
from callsheet.kit.log import get_log
from callsheet.tools.artifact import Artifacts, NotKept
from callsheet.tools.context import ToolContext
from callsheet.tools.mcp.result import Blob

MOST: Final = 10
"""Files of one answer that are kept."""

log = get_log(__name__)


class Blobs:
    """Keeps the files of one call and says for each what became of it."""

    def __init__(self, artifacts: Artifacts | None, ctx: ToolContext, tool: str) -> None:
        """`artifacts` None: there is nowhere to keep them. `tool` names files without a name."""
        self._artifacts = artifacts
        self._ctx = ctx
        self._tool = tool
        self._count = 0

    async def describe(self, blob: Blob) -> str:
        """For the model, which never sees the bytes."""
        what = f"{blob.media_type}, {len(blob.data)} bytes"
        self._count += 1
        if self._artifacts is None or self._count > MOST:
            return f"[a file that is not shown: {what}]"
        try:
            kept = await self._artifacts.keep(
                self._ctx, self._name(blob), blob.data, blob.media_type
            )
        except NotKept as error:
            return f"[a file that is not shown: {what}. {error}]"
        except AppError:
            log.exception("artifact_not_kept", tool_call_id=self._ctx.tool_call_id)
            return f"[a file that could not be stored: {what}]"
        return f"[the file {kept.name}, which the user sees: {what}]"

    def _name(self, blob: Blob) -> str:
        if "." in blob.name:
            return blob.name
        suffix = mimetypes.guess_extension(blob.media_type.partition(";")[0].strip()) or ""
        number = "" if self._count == 1 else f"-{self._count}"
        return f"{blob.name or self._tool}{number}{suffix}"
