"""From a folder of YAML to a workflow."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from callsheet.kit.errors import ConfigError
from callsheet.kit.places import shipped
from callsheet.kit.yaml import compose
from callsheet.kit.yaml_nodes import data
from callsheet.tools.builtin.catalog import builtin_tools
from callsheet.workflows.draft import Known
from callsheet.workflows.loader import load_workflow
from callsheet.workflows.workflow import AgentSpec, Retry, TaskSpec
from tests.fakes.builtins import no_ports
from tests.workflows.sample import AGENTS, FILES, KNOWN, TASKS, WORKFLOW, write


def test_a_folder_becomes_a_workflow(tmp_path: Path) -> None:
    workflow = load_workflow(write(tmp_path / "letters"), KNOWN)

    plan, reply = workflow.stages
    assert (workflow.name, workflow.timeout_s, workflow.label) == (
        "letters",
        100,
        {"en": "Letters"},
    )
    assert (plan.name, plan.timeout_s, plan.visible, plan.history) == ("plan", 30, False, False)
    assert plan.retry == Retry(attempts=2, on=frozenset({"invalid_output"}))
    assert (reply.timeout_s, reply.retry, reply.visible) == (100, Retry(), True)
    assert reply.skip_when is not None
    assert reply.skip_when.expression == 'stages.plan.output.kind == "none"'
    assert reply.agents["writer"] == AgentSpec(
        name="writer",
        role="Writer",
        goal="Write it",
        backstory="You write.\n\nShort sentences.\nNo jargon.",
        default_model="large",
        temperature=0.5,
        allow_delegation=True,
        tools=("calculator", "current_time"),
    )
    assert reply.tasks == (
        TaskSpec(
            name="draft",
            description="Write a {kind} on {today}.\nIt is about {request}.",
            expected_output="A letter",
            agent="writer",
            inputs={
                "request": "message.text",
                "today": "now.date",
                "kind": "stages.plan.output.kind",
            },
            inline_inputs=frozenset({"today", "kind"}),
        ),
        TaskSpec(
            name="polish",
            description="Mend the letter.",
            expected_output="A better letter",
            agent="critic",
            context=("draft",),
        ),
    )
    assert plan.tasks[0].expected_output == 'JSON like {"kind": "letter"} and nothing else'
    assert workflow.files == FILES
    assert workflow.stage("reply") is reply


def test_the_revision_follows_every_byte_of_every_file_and_nothing_else(tmp_path: Path) -> None:
    folder = write(tmp_path / "letters")
    first = load_workflow(folder, KNOWN)

    write(folder, {"README.md": "x", ".workflow.yaml.swp": "x", "prompts/.style.md": "x"})
    assert load_workflow(folder, KNOWN) == first
    assert len(first.revision) == 64

    write(folder, {"prompts/unused.md": "More."})
    second = load_workflow(folder, KNOWN)
    write(folder, {"agents.yaml": AGENTS + "# a comment\n"})
    third = load_workflow(folder, KNOWN)
    assert len({first.revision, second.revision, third.revision}) == 3


def test_the_mistakes_of_all_files_are_told_at_once_in_their_order(tmp_path: Path) -> None:
    folder = write(
        tmp_path / "letters",
        {
            "workflow.yaml": WORKFLOW.replace("timeout_s: 30", "timeout_s: 300"),
            "agents.yaml": AGENTS.replace("goal: Plan it", "goal: []").replace("large", "larg"),
            "tasks.yaml": TASKS.replace("about {request}", "about {them}"),
        },
    )  # fmt: skip

    with pytest.raises(ConfigError) as caught:
        load_workflow(folder, KNOWN, "letters")

    assert [str(problem) for problem in caught.value.problems] == [
        "letters/workflow.yaml:7:16: is longer than the turn's timeout_s, 100",
        "letters/agents.yaml:3:9: expected text, found a list",
        "letters/agents.yaml:10:11: there is no prompt 'prompts/style.md' in letters",
        "letters/agents.yaml:11:18: there is no model 'larg' (did you mean 'large'?)",
        "letters/tasks.yaml:17:17: the variable {them} is not declared in the task's inputs "
        "(for the words themselves write {{them}})",
        "letters/tasks.yaml:20:5: the input 'request' is declared, but {request} stands nowhere",
    ]


@pytest.mark.parametrize("missing", ["workflow.yaml", "agents.yaml", "tasks.yaml"])
def test_a_missing_file_is_the_only_problem(tmp_path: Path, missing: str) -> None:
    files = {name: text for name, text in FILES.items() if name != missing}

    with pytest.raises(ConfigError) as caught:
        load_workflow(write(tmp_path / "letters", files), KNOWN, "letters")

    assert str(caught.value) == f"letters/{missing}:0:0: there is no such file"


def test_a_folder_needs_a_legal_name(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"^My Letters:0:0: 'My Letters' is no legal name"):
        load_workflow(write(tmp_path / "My Letters"), KNOWN, "My Letters")


def test_what_is_not_known_is_not_checked(tmp_path: Path) -> None:
    folder = write(tmp_path / "letters", {**FILES, "agents.yaml": AGENTS.replace("large", "any")})

    assert load_workflow(folder, Known()).stages[1].agents["writer"].default_model == "any"


def test_the_shipped_workflow_runs_three_stages_and_leaves_the_last_out_for_simple_requests() -> (
    None
):
    models = frozenset({"qwen3.5-flash", "deepseek-v3.2"})
    tools = frozenset(tool.name for tool in builtin_tools(no_ports()))
    workflow = load_workflow(shipped("crews") / "chat", Known(models, tools))

    intent, execution, organization = workflow.stages
    assert [stage.name for stage in workflow.stages] == ["intent", "execution", "organization"]
    assert [stage.visible for stage in workflow.stages] == [False, True, True]
    assert [stage.history for stage in workflow.stages] == [False, True, False]
    assert intent.retry == Retry(attempts=2, on=frozenset({"invalid_output"}))
    given = {"current_time", "calculator", "ask_user", "send_mail", "manage_todo_list"}
    assert given <= set(execution.agents["worker"].tools)
    rule = organization.skip_when
    assert rule is not None
    assert rule.stages == {"intent"}
    said = {"stages": {"intent": {"output": {"complexity": "simple"}}}}
    assert rule.holds(said)
    assert not rule.holds({"stages": {"intent": {"output": {"complexity": "complex"}}}})
    agents = [agent for stage in workflow.stages for agent in stage.agents.values()]
    assert all({"en", "zh"} <= agent.label.keys() for agent in agents)


@pytest.mark.parametrize("when_busy", ["refuse", "queue", "steer"])
def test_a_workflow_says_what_a_message_does_while_a_run_is_active(
    tmp_path: Path, when_busy: str
) -> None:
    text = f"when_busy: {when_busy}\n{WORKFLOW}"
    schema = json.loads((shipped("config") / "schema" / "workflow.json").read_text("utf-8"))
    folder = write(tmp_path / "letters", {**FILES, "workflow.yaml": text})
    assert load_workflow(folder, KNOWN).when_busy == when_busy
    assert Draft202012Validator(schema).is_valid(data(compose(folder / "workflow.yaml").root))
    write(folder, {"workflow.yaml": text.replace(when_busy, "wait")})
    assert not Draft202012Validator(schema).is_valid(data(compose(folder / "workflow.yaml").root))
    with pytest.raises(ConfigError, match="'wait' is not one of refuse, queue, steer"):
        load_workflow(folder, KNOWN)
