"""All configuration files held against each other."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from callsheet.catalog.files import load_seeds
from callsheet.kit.errors import ConfigError
from callsheet.kit.places import shipped
from callsheet.tools.builtin.catalog import builtin_tools
from callsheet.workflows.check import Deployment, check
from callsheet.workflows.tool_rule import ToolRule
from callsheet.workflows.tools_file import load_tools, read_tools
from tests.fakes.builtins import no_ports
from tests.workflows.sample import FILES, write

OWN = {
    "calculator": {
        "type": "object",
        "properties": {"expression": {"type": "string"}},
        "required": ["expression"],
    },
    "current_time": {"type": "object", "properties": {"timezone": {"type": "string"}}},
}
TOOLS = """\
calculator:
  timeout_s: 5
  parameters:
    expression: {type: string, required: true}
current_time:
  policy: allow
  parameters:
    timezone: {type: string}
"""
MODELS = "models:\n  small: {}\n  large: {context_window_tokens: 8192}\n"
DEPLOYMENT = Deployment(
    catalog={"small": "acme", "large": "other"},
    priced={("acme", "small"), ("other", "large")},
    tools=OWN,
)


def told(tmp_path: Path, deployment: Deployment = DEPLOYMENT, **files: str) -> list[str]:
    """What is said of a sound deployment in which these files (by stem) are other ones."""
    config = {"models.yaml": MODELS, "tools.yaml": TOOLS}
    config |= {f"{stem}.yaml": text for stem, text in files.items()}
    write(tmp_path / "config", {name: config[name] for name in ("models.yaml", "tools.yaml")})
    crew = {**FILES, **{name: config[name] for name in FILES if name in config}}
    write(tmp_path / "crews" / "letters", crew)
    found = check(tmp_path / "config", tmp_path / "crews", deployment)
    return [str(problem).removeprefix(f"{tmp_path}/") for problem in found]


def test_a_sound_deployment_has_no_problem(tmp_path: Path) -> None:
    assert told(tmp_path) == []


def test_what_ships_with_the_product_has_no_problem() -> None:
    config = shipped("config")
    seeds = load_seeds(config / "llm_catalog.yaml", config / "llm_prices.yaml")
    deployment = Deployment(
        catalog={llm.model_code: llm.factory_id for llm in seeds.catalog.llms},
        priced={(entry.factory, entry.model_code) for entry in seeds.entries},
        tools={tool.name: tool.Args.model_json_schema() for tool in builtin_tools(no_ports())},
        keys={"qwen", "deepseek"},
    )

    assert check(config, shipped("crews"), deployment) == []


@pytest.mark.parametrize(
    ("models", "problems"),
    [
        ("models:\n  small: {}\n", ["1:1: the facts about 'large' are missing"]),
        (MODELS + "  smal: {}\n",
         ["4:3: llm_catalog.yaml has no model 'smal' (did you mean 'small'?)"]),
        (MODELS + "  own: {factory: mine}\n", ["4:3: the model 'own' has no price"]),
        (MODELS.replace("small: {}", "small: {factory: acme}"),
         ["2:11: the model 'small' is in llm_catalog.yaml"]),
        (MODELS.replace("8192", "4096"), ["3:10: leaves no room in the context window of 4096"]),
        (MODELS.replace("small: {}", "small: {extra_body: {stream: false}}"),
         ["2:23: stream cannot be set here"]),
        (MODELS.replace("small: {}", "small: {reasoning_switch: {hihg: {}}}"),
         ["2:30: 'hihg' is not one of off, low, medium, high (did you mean 'high'?)"]),
        (MODELS.replace("small: {}", "small: {max_tokens: 5}"),
         ["2:11: unknown key 'max_tokens' (did you mean 'max_output_tokens'?)"]),
        ("models: [\n", ["2:1: is not YAML"]),
        ("model: {}\n", ["1:1: unknown key 'model' (did you mean 'models'?)"]),
    ],
)  # fmt: skip
def test_mistakes_in_the_facts_about_models(
    tmp_path: Path, models: str, problems: list[str]
) -> None:
    found = told(tmp_path, models=models)

    assert len(found) == len(problems)
    for line, expected in zip(found, problems, strict=True):
        assert line.startswith(f"config/models.yaml:{expected}")


@pytest.mark.parametrize(
    ("tools", "problem"),
    [
        (TOOLS.replace("calculator:", "calculater:"),
         "config/tools.yaml:1:1: there is no tool 'calculater' (did you mean 'calculator'?)"),
        (TOOLS.replace("expression: {type: string, required: true}", "{}"),
         "config/tools.yaml:3:3: the parameter 'expression' of the tool 'calculator' is missing"),
        (TOOLS.replace("timezone:", "zone: {type: string}\n    timezone:"),
         "config/tools.yaml:8:5: the tool 'current_time' has no parameter 'zone'"
         " (did you mean 'timezone'?)"),
        (TOOLS.replace("{type: string}", "{type: integer}"),
         "config/tools.yaml:8:22: the tool's own type of 'timezone' is string"
         " (did you mean 'string'?)"),
        (TOOLS.replace(", required: true", ""),
         "config/tools.yaml:4:17: the tool itself says required: true (did you mean 'true'?)"),
        (TOOLS.replace("policy: allow", "policy: asks"),
         "config/tools.yaml:6:11: 'asks' is not one of allow, ask, deny (did you mean 'ask'?)"),
        (TOOLS.replace("timeout_s: 5", "policy: ask\n  polcy: ask"),
         "config/tools.yaml:3:3: unknown key 'polcy' (did you mean 'policy'?)"),
        (TOOLS + "mail_*:\n  policy: deny\n  parameters:\n    to: {type: string}\n",
         "config/tools.yaml:11:3: a pattern stands for many tools and has no parameters"),
        (TOOLS + "'mail[ab]': {policy: deny}\n",
         "config/tools.yaml:9:1: must match pattern '^[A-Za-z0-9_*?-]{1,64}$', found 'mail[ab]'"),
        (TOOLS.replace("timeout_s: 5", "timeout_s: 0"),
         "config/tools.yaml:2:14: must be greater than 0, found '0'"),
    ],
)  # fmt: skip
def test_mistakes_in_the_white_list_of_tools(tmp_path: Path, tools: str, problem: str) -> None:
    assert told(tmp_path, tools=tools) == [problem]


def test_a_tool_that_is_not_listed_cannot_be_given_to_an_agent(tmp_path: Path) -> None:
    shorter = TOOLS[TOOLS.index("current_time") :]

    assert told(tmp_path, tools=shorter) == [
        "crews/letters/agents.yaml:14:11: there is no tool 'calculator'"
    ]


def test_a_model_whose_provider_has_no_key_is_named_with_the_variable(tmp_path: Path) -> None:
    some = Deployment(DEPLOYMENT.catalog, DEPLOYMENT.priced, OWN, keys={"acme"})
    needs = (
        "crews/letters/agents.yaml:11:18: the model 'large' needs its provider's key: "
        "set CALLSHEET_LLM__OTHER__API_KEY"
    )

    assert told(tmp_path, some) == [needs]
    assert told(tmp_path, some, models=MODELS.replace("8192", "8192, auth: none")) == []
    assert told(tmp_path, DEPLOYMENT) == []  # no key at all: the rehearsal plays every model


def test_a_model_that_needs_litellm_is_told_where_it_is_not_installed(tmp_path: Path) -> None:
    models = MODELS.replace("8192", "8192, litellm_provider: anthropic")

    assert told(tmp_path, replace(DEPLOYMENT, has_litellm=False), models=models) == [
        "config/models.yaml:3:40: goes through LiteLLM, which is not installed: pip install "
        "'callsheet[litellm]' (in a checkout: make litellm)"
    ]
    assert told(tmp_path, DEPLOYMENT, models=models) == []


def test_every_file_is_checked_though_others_are_broken(tmp_path: Path) -> None:
    found = told(
        tmp_path,
        models="models: [\n",
        tools="",
        agents=FILES["agents.yaml"].replace("goal: Plan it", "gaol: Plan it"),
    )

    assert found == [
        "config/models.yaml:2:1: is not YAML: expected the node content, but found '<stream end>'"
        " (while parsing a flow node)",
        "config/tools.yaml:1:1: the file is empty",
        "crews/letters/agents.yaml:3:3: unknown key 'gaol' (did you mean 'goal'?)",
    ]


def test_a_deployment_without_workflows_is_told(tmp_path: Path) -> None:
    write(tmp_path, {"models.yaml": MODELS, "tools.yaml": TOOLS})

    (problem,) = check(tmp_path, tmp_path / "crews", DEPLOYMENT)

    assert str(problem) == f"{tmp_path}/crews:0:0: holds no workflow"


def test_a_pattern_lists_what_fits_it_and_a_denied_tool_may_still_be_named(tmp_path: Path) -> None:
    write(tmp_path, {"tools.yaml": "'c*_t?me': {policy: ask}\n'*_mail': {policy: deny}\n"})

    listed = read_tools(tmp_path / "tools.yaml", {**OWN, "send_mail": {}})

    assert listed.problems == ()
    assert listed.names == {"current_time", "send_mail"}
    assert listed.rules["c*_t?me"] == ToolRule("c*_t?me", "ask")


def test_a_plan_is_never_approved_by_the_file(tmp_path: Path) -> None:
    write(tmp_path, {"tools.yaml": "request_plan_approval: {policy: allow}\n"})

    (problem,) = read_tools(tmp_path / "tools.yaml", {"request_plan_approval": {}}).problems

    assert str(problem).endswith(
        ":1:33: 'request_plan_approval' always asks: a plan that nobody sees is none "
        "(did you mean 'ask'?)"
    )


def test_the_rules_of_tools_are_read(tmp_path: Path) -> None:
    write(tmp_path, {"tools.yaml": TOOLS})

    assert load_tools(tmp_path / "tools.yaml", OWN) == {
        "calculator": ToolRule("calculator", None, 5.0),
        "current_time": ToolRule("current_time", "allow"),
    }
    with pytest.raises(ConfigError, match="there is no tool 'calculator'"):
        load_tools(tmp_path / "tools.yaml", {"current_time": OWN["current_time"]})
