"""An ACTIVITY on the wire: whole, or one entry more."""

from __future__ import annotations

from typing import Any


def activity_snapshot(message_id: str, activity: str, content: dict[str, Any]) -> dict[str, Any]:
    """The whole of it; one of the same id is replaced."""
    return {
        "type": "ACTIVITY_SNAPSHOT",
        "messageId": message_id,
        "activityType": activity,
        "content": content,
        "replace": True,
    }


def activity_entry(message_id: str, activity: str, path: str, value: Any) -> dict[str, Any]:
    """`value` added at `path` (a JSON pointer) to what was sent before."""
    return {
        "type": "ACTIVITY_DELTA",
        "messageId": message_id,
        "activityType": activity,
        "patch": [{"op": "add", "path": path, "value": value}],
    }
