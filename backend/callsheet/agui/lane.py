"""Something that streams: a text, a reasoning span or a tool call's arguments."""

from __future__ import annotations

from dataclasses import dataclass

from callsheet.agui.frame import encode_one_line


@dataclass(frozen=True, slots=True)
class Lane:
    """Its id on the wire, its owner's field (empty: the run itself), its deltas' opening bytes."""

    wire_id: str
    owner: dict[str, str]
    opening: bytes
    reasoning: bool


def open_lane(kind: str, id_name: str, wire_id: str, owner: dict[str, str]) -> Lane:
    """The lane whose deltas are events of type `kind` with `id_name` set to `wire_id`."""
    opening = encode_one_line({"type": kind, id_name: wire_id, **owner})[:-1] + b',"delta":'
    return Lane(wire_id, owner, opening, reasoning=kind.startswith("REASONING"))


def owned_by(agent_run_id: str, *, visible: bool) -> dict[str, str]:
    """The tag of an event: none on the visible stage's, the agent's id on the others'."""
    return {} if visible else {"subagentRunId": agent_run_id}
