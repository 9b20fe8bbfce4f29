"""What a tool shows while it works, beside its result."""

from __future__ import annotations

from typing import Any

from callsheet.events.base import RunEvent


class ActivityShown(RunEvent, frozen=True, kw_only=True, tag="activity_shown"):
    """A whole activity: one of the same `message_id` is replaced, in this run or an earlier one.

    `activity` is its documented type; `content` is plain JSON data.
    """

    tool_call_id: str
    activity: str
    message_id: str
    content: dict[str, Any]
