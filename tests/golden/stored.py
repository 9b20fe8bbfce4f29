"""What the database has of a run's messages, spelled as a client holds them."""

from __future__ import annotations

import json
from typing import Any

from tests.fakes.books import Books

_OF_RUN = """
SELECT id::text, role::text, content, metadata::text AS metadata FROM messages
WHERE metadata->>'run_id' = $1 AND deleted_at IS NULL
  AND metadata->>'status' IN ('final', 'partial') ORDER BY seq
"""
_OF_SESSION = """
SELECT id::text, role::text, content, metadata::text AS metadata FROM messages
WHERE session_id = $1::uuid AND deleted_at IS NULL
  AND metadata->>'status' IN ('final', 'partial')
  AND (role = 'user' OR metadata @> '{"visible": true}') AND content <> '' ORDER BY seq
"""


async def messages_of(books: Books, run_id: str) -> list[dict[str, Any]]:
    """What the run added: visible answers, calls of tools, their results."""
    return _spelled(await books.rows(_OF_RUN, run_id))


async def said_in(books: Books, session_id: str) -> list[dict[str, Any]]:
    """All that was said in the session as its user saw it."""
    return _spelled(await books.rows(_OF_SESSION, session_id))


def as_held(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A client's messages without what only streams have, in the same spelling."""
    held = []
    for message in messages:
        if message["role"] not in ("user", "assistant", "tool"):
            continue
        names = ("id", "role", "content", "toolCalls", "toolCallId")
        kept = {name: message[name] for name in names if message.get(name)}
        if "toolCalls" in kept:
            kept["toolCalls"] = [
                {name: call[name] for name in ("id", "type", "function")}
                for call in kept["toolCalls"]
            ]
        if kept.keys() - {"id", "role"}:
            held.append(kept)
    return held


def _spelled(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    spelled = []
    for row in rows:
        beside = json.loads(row["metadata"])
        shown = row["role"] != "assistant" or beside.get("visible")
        message = {
            "id": beside.get("raw_id", row["id"]),
            "role": row["role"],
            "content": row["content"] if shown else None,
            "toolCallId": beside.get("tool", {}).get("call_id"),
            "toolCalls": [
                {
                    "id": call["id"],
                    "type": "function",
                    "function": {"name": call["name"], "arguments": call["arguments"]},
                }
                for call in beside.get("tool_calls", ())
            ],
        }
        spelled.append(message)
    return as_held(spelled)
