"""Limits of a crew's work."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CrewOptions:
    """`parallel_tools`: tools of one answer that run at a time. `failed_rounds`: answers in a row
    of whose tool calls none went well, after which the agent has to answer without tools.
    `delegation_depth`: how many coworkers deep a question may go; 0 turns delegation off.
    """

    parallel_tools: int = 8
    failed_rounds: int = 3
    delegation_depth: int = 3
