"""A workflow as loaded from `crews/<name>/`: frozen, cross-checked, ready to run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from callsheet.workflows.rule import Rule
from callsheet.workflows.words import OnDisconnect


@dataclass(frozen=True, slots=True)
class Retry:
    """How often a stage begins in all (`attempts`, at least 1) and on which error codes again."""

    attempts: int = 1
    on: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class AgentSpec:
    """One role. `label` maps a language tag (en, zh) to a name for people.

    `client_tools`: it may also call what the client brings.
    """

    name: str
    role: str
    goal: str
    backstory: str
    default_model: str
    temperature: float | None = None
    max_output_tokens: int | None = None
    reasoning: str | None = None
    max_iter: int = 10
    iteration_timeout_s: float = 120.0
    allow_delegation: bool = False
    tools: tuple[str, ...] = ()
    label: Mapping[str, str] = field(default_factory=dict)
    client_tools: bool = False


@dataclass(frozen=True, slots=True)
class TaskSpec:
    """What one agent must deliver.

    `description` has its `{name}` marks still in it; `inputs` maps each declared name to where
    its value comes from (`message.text`, `stages.intent.output.route`, ...): data, but for
    `inline_inputs`, which may stand in the text itself. `output_schema` is a JSON schema; None:
    free text. `context` names earlier tasks of the same stage.
    """

    name: str
    description: str
    expected_output: str
    agent: str
    context: tuple[str, ...] = ()
    inputs: Mapping[str, str] = field(default_factory=dict)
    output_schema: Mapping[str, Any] | None = None
    async_execution: bool = False
    inline_inputs: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Stage:
    """One step of a turn, done by one crew.

    `visible`: its text may be the answer; of the visible stages the last one that runs is.
    `history`: the session's earlier messages go to its agents. The stage's output is the output
    of its last task.
    """

    name: str
    agents: Mapping[str, AgentSpec]
    tasks: tuple[TaskSpec, ...]
    visible: bool = False
    history: bool = False
    timeout_s: float = 120.0
    retry: Retry = Retry()
    run_when: Rule | None = None
    skip_when: Rule | None = None
    stop_when: Rule | None = None


@dataclass(frozen=True, slots=True)
class Workflow:
    """The stages of a turn, in order.

    `revision` is a hash of every file it was made from; `files` are those files' texts by path.
    `on_disconnect` cancel: a run that nobody has looked at for `disconnect_grace_s` is stopped.
    What it asks people waits `answer_within_s`; `when_waiting` says what a new message does then.
    `when_busy` says what it does while a run is active.
    `on_spent_budget` ask: the user may grant the run's or the session's budget once more.
    """

    name: str
    revision: str
    stages: tuple[Stage, ...]
    timeout_s: float = 600.0
    answer_within_s: float = 86_400.0
    when_busy: Literal["refuse", "queue", "steer"] = "refuse"
    when_waiting: Literal["cancel_and_answer", "ask_again", "refuse"] = "cancel_and_answer"
    on_spent_budget: Literal["fail", "ask"] = "fail"
    label: Mapping[str, str] = field(default_factory=dict)
    description: str = ""
    files: Mapping[str, str] = field(default_factory=dict, repr=False)
    on_disconnect: OnDisconnect = "detach"
    disconnect_grace_s: float = 30.0

    def stage(self, name: str) -> Stage:
        """The stage of that name; raises KeyError."""
        for stage in self.stages:
            if stage.name == name:
                return stage
        raise KeyError(name)

    @property
    def takes_client_tools(self) -> bool:
        """Whether some agent may call what the client brings."""
        return any(agent.client_tools for s in self.stages for agent in s.agents.values())
