"""A file that a tool made, on the wire."""

from __future__ import annotations

from typing import Any, Final

from callsheet.artifacts.artifact import ArtifactRecord

ARTIFACT: Final = "callsheet.artifact"


def artifact_content(record: ArtifactRecord) -> dict[str, Any]:
    """What is told of it, and where its owner gets it."""
    return {
        "id": str(record.id),
        "name": record.name,
        "mediaType": record.media_type,
        "sizeBytes": record.size_bytes,
        "url": record.url,
        "toolCallId": record.tool_call_id,
    }
