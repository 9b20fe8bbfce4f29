"""What a tool may know of the turn that it runs in."""

from __future__ import annotations

from dataclasses import dataclass, field
from uuid import UUID

from callsheet.kit.clock import Clock
from callsheet.kit.deadline import Deadline
from callsheet.tools.model_calls import NoModels, ToolModels
from callsheet.tools.tell import Tell, Untold


@dataclass(frozen=True, slots=True)
class ToolContext:
    """The caller's identity and the time that is left. A tool acts for this user and no other.

    `tell` lets people see what goes on meanwhile, `models` are those that the tool may ask itself.
    """

    user_id: UUID
    session_id: UUID
    run_id: UUID
    tool_call_id: str
    agent: str
    deadline: Deadline
    clock: Clock
    tell: Tell = field(default_factory=Untold)
    models: ToolModels = field(default_factory=NoModels)
