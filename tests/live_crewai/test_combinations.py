"""What CrewAI refuses of tasks in a crew is told before a turn, by the loader."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest

from callsheet.kit.errors import AppError, ConfigError
from callsheet.workflows.draft import Known
from callsheet.workflows.loader import load_workflow
from tests.fakes.chat import ScriptedChat, text
from tests.fakes.stage import agent, stage_work, task
from tests.live_crewai.playing import Play
from tests.workflows.sample import write

WORKFLOW = """\
stages:
  - {name: only, agents: [one], tasks: [a, b, c], visible: true}
"""
AGENTS = "one: {role: R, goal: G, backstory: B, default_model: m}\n"
TASK = """\
{name}:
  agent: one
  description: D
  expected_output: E
  async_execution: {beside}
  context: [{context}]
"""
Combination = tuple[tuple[bool, bool, bool], tuple[str, str, str]]


def combinations() -> Iterator[Combination]:
    """Three tasks, each of them waited for or not, with every context that comes before it."""
    for beside in product((False, True), repeat=3):
        for second, third in product(("", "a"), ("", "a", "b", "a, b")):
            yield (beside[0], beside[1], beside[2]), ("", second, third)


async def crewai_takes(combination: Combination) -> bool:
    tasks = [
        task(name, async_execution=beside, context=tuple(filter(None, context.split(", "))))
        for name, beside, context in zip("abc", *combination, strict=True)
    ]
    try:
        await Play.of(ScriptedChat(choose=lambda _: text("ok"))).run(stage_work([agent()], tasks))
    except AppError as error:
        if error.error_code != "crew_invalid":
            raise
        return False
    return True


def told(folder: Path, combination: Combination) -> tuple[str, ...]:
    tasks = "".join(
        TASK.format(name=name, beside=str(beside).lower(), context=context)
        for name, beside, context in zip("abc", *combination, strict=True)
    )
    files = {"workflow.yaml": WORKFLOW, "agents.yaml": AGENTS, "tasks.yaml": tasks}
    try:
        load_workflow(write(folder, files), Known())
    except ConfigError as error:
        return tuple(problem.message for problem in error.problems)
    return ()


@pytest.mark.timeout(300)
async def test_the_loader_refuses_what_crewai_refuses_and_an_end_that_nobody_waits_for(
    tmp_path: Path,
) -> None:
    refused = 0
    for combination in combinations():
        problems = told(tmp_path / "crew", combination)
        takes = await crewai_takes(combination)
        own_rule = tuple(text for text in problems if "has to be waited for" in text)
        assert bool(own_rule) == combination[0][2], combination
        assert takes or problems, combination
        assert not takes or problems == own_rule, combination
        refused += not takes
    assert refused > 0
