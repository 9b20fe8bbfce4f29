"""A chat request as the fake provider reads it."""

from __future__ import annotations

import re
from typing import Any

import msgspec

_MARKER = re.compile(r"marker-[A-Za-z0-9]+")


class StreamOptions(msgspec.Struct):
    include_usage: bool = False


class ChatBody(msgspec.Struct):
    """The fields that matter here; all others are let through."""

    model: str
    messages: list[dict[str, Any]]
    stream: bool = False
    stream_options: StreamOptions | None = None
    tools: list[dict[str, Any]] | None = None

    def conversation(self) -> str:
        """Everything that was said, for the rules to look at."""
        return "\n".join(_text(message.get("content")) for message in self.messages)

    def markers(self) -> str:
        """The marker-... words of the user's messages, in order."""
        said = " ".join(
            _text(message.get("content"))
            for message in self.messages
            if message.get("role") == "user"
        )
        return "".join(f"{word} " for word in _MARKER.findall(said))

    def awaits_tools(self) -> bool:
        """Tools are offered and none was used since the user spoke last."""
        for message in reversed(self.messages):
            if message.get("role") == "tool":
                return False
            if message.get("role") == "user":
                break
        return bool(self.tools)

    def tool_name(self, wanted: str | None) -> str:
        """The tool to ask for."""
        return wanted or str((self.tools or [{}])[0].get("function", {}).get("name", "none"))


def _text(content: Any) -> str:
    if isinstance(content, list):
        return " ".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return str(content or "")
