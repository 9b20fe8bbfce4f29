"""Each mistake that an author can make, and the words, the place and the hint it is told with."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from callsheet.kit.errors import ConfigError, Problem
from callsheet.workflows.loader import load_workflow
from tests.workflows.sample import FILES, KNOWN, write


@dataclass(frozen=True)
class Mistake:
    """In `file`, `old` (once there) becomes `new`; `told` is the one problem that follows."""

    name: str
    file: str
    old: str
    new: str
    at: tuple[int, int]
    says: str
    suggests: str | None = None
    told_in: str | None = None


W, A, T, P = "workflow.yaml", "agents.yaml", "tasks.yaml", "prompts/style.md"

MISTAKES: Final = [
    # keys
    Mistake("misspelt key", A, "temperature: 0.5", "temprature: 0.5", (12, 3),
            "unknown key 'temprature'", "temperature"),
    Mistake("misspelt needed key", A, "goal: Plan it", "gaol: Plan it", (3, 3),
            "unknown key 'gaol'", "goal"),
    Mistake("CrewAI's own key for the model", A, "default_model: large", "llm: large", (11, 3),
            "unknown key 'llm'", "default_model"),
    Mistake("another tool's word", T, "  output_schema:", "  output_json:", (7, 3),
            "unknown key 'output_json'", "output_schema"),
    Mistake("time without its unit", W, "    timeout_s: 30", "    timeout: 30", (7, 5),
            "unknown key 'timeout'", "timeout_s"),
    Mistake("key that means nothing", W, "label:", "zzz: 1\nlabel:", (1, 1), "unknown key 'zzz'"),
    Mistake("key in capitals", A, "temperature: 0.5", "Temperature: 0.5", (12, 3),
            "unknown key 'Temperature'", "temperature"),
    Mistake("missing key", A, "  goal: Plan it\n", "", (1, 1), "the key 'goal' is missing"),
    Mistake("doubled key", A, "  goal: Write it", "  goal: Write it\n  goal: Write", (9, 3),
            "the key 'goal' is doubled (first on line 8)"),
    Mistake("doubled agent", A, "critic:", "planner:\n  role: x\ncritic:", (15, 1),
            "the key 'planner' is doubled (first on line 1)"),
    # types and values
    Mistake("word for a number", A, "temperature: 0.5", "temperature: warm", (12, 16),
            "expected a number, found 'warm'"),
    Mistake("number out of bounds", A, "temperature: 0.5", "temperature: 9", (12, 16),
            "must be less than or equal to 2, found '9'"),
    Mistake("yes for true", W, "visible: true", "visible: yes", (12, 14),
            "expected true or false, found 'yes'"),
    Mistake("fraction for a whole number", W, "attempts: 2", "attempts: 1.5", (8, 23),
            "expected a whole number, found '1.5'"),
    Mistake("word for a list", A, "tools: [calculator, current_time]", "tools: calculator",
            (14, 10), "expected a list, found 'calculator'"),
    Mistake("list for text", A, "goal: Plan it", "goal: [Plan, it]", (3, 9),
            "expected text, found a list"),
    Mistake("nothing for text", A, "goal: Plan it", "goal:", (3, 3),
            "expected text, found nothing"),
    Mistake("blank text", A, "goal: Plan it", 'goal: "  "', (3, 9), "must not be empty"),
    Mistake("mapping with a dash", T, "    request: message.text\n  output",
            "    - request\n  output", (6, 5),
            "expected a mapping of keys to values, found a list"),
    Mistake("time below zero", W, "timeout_s: 30", "timeout_s: -1", (7, 16),
            "must be greater than 0, found '-1'"),
    Mistake("infinite time", W, "timeout_s: 30", "timeout_s: .inf", (7, 16),
            "expected a number, found '.inf'"),
    Mistake("illegal reasoning level", A, "temperature: 0.5", "reasoning: hihg", (12, 14),
            "'hihg' is not one of off, low, medium, high", "high"),
    Mistake("illegal name of an agent", A, "critic:",
            "The Boss: {role: a, goal: b, backstory: c, default_model: small}\ncritic:", (15, 1),
            "'The Boss' is no legal name"),
    Mistake("illegal name of a stage", W, "name: reply", "name: Reply 1", (9, 11),
            "'Reply 1' is no legal name"),
    Mistake("stage named like a word of CEL", W, "name: reply", "name: in", (9, 11),
            "'in' is a word of the rule language"),
    Mistake("no language tag", W, "{en: Letters}", "{english!: Letters}", (1, 9),
            "'english!' is no language tag"),
    # YAML itself
    Mistake("tab as indent", A, "  goal: Plan it", "\tgoal: Plan it", (3, 1),
            "a tab stands where only spaces may"),
    Mistake("colon in plain text", A, "role: Writer", "role: Note: Writer", (7, 13),
            "a ': ' inside unquoted text"),
    Mistake("unclosed quote", A, "role: Writer", 'role: "Writer', (22, 1),
            "a quote is opened and never closed"),
    Mistake("text beginning with @", A, "role: Writer", "role: @Writer", (7, 9),
            "put the value in quotes"),
    Mistake("unclosed list", W, "[planner]", "[planner", (6, 10), "is not YAML"),
    Mistake("unknown alias", A, "default_model: large", "default_model: *big", (11, 18),
            "the alias *big has no anchor &big before it"),
    Mistake("tag that makes an object", A, "role: Writer", "role: !!python/name:os.system x",
            (7, 9), "the tag 'tag:yaml.org,2002:python/name:os.system' is not used here"),
    Mistake("second document", W, "label:", "--- {}\n---\nlabel:", (2, 1),
            "a second document begins"),
    Mistake("control character", A, "role: Writer", "role: Wri\x07ter", (7, 12),
            "the control character U+0007 is not allowed"),
    Mistake("empty file", T, FILES[T], "# soon\n", (1, 1), "the file is empty"),
    # references
    Mistake("unknown agent of a stage", W, "[planner]", "[planer]", (5, 14),
            "there is no agent 'planer'", "planner"),
    Mistake("unknown task of a stage", W, "[draft, polish]", "[draft, polisch]", (11, 20),
            "there is no task 'polisch'", "polish"),
    Mistake("unknown agent of a task", T, "agent: critic", "agent: critics", (24, 10),
            "there is no agent 'critics'", "critic"),
    Mistake("agent that is not in the stage", T, "agent: critic", "agent: planner", (11, 20),
            "the agent 'planner' of the task 'polish' is not in this stage", told_in=W),
    Mistake("unknown model", A, "default_model: large", "default_model: lagre", (11, 18),
            "there is no model 'lagre'", "large"),
    Mistake("model without a key", A, "default_model: large", "default_model: keyless", (11, 18),
            "set CALLSHEET_LLM__ACME__API_KEY"),
    Mistake("unknown tool", A, "[calculator, current_time]", "[calculater, current_time]",
            (14, 11), "there is no tool 'calculater'", "calculator"),
    Mistake("tool named twice", A, "[calculator, current_time]", "[calculator, calculator]",
            (14, 23), "the tool 'calculator' is named twice"),
    Mistake("missing prompt", A, "prompts/style.md", "prompts/stile.md", (10, 11),
            "there is no prompt 'prompts/stile.md'", "prompts/style.md"),
    Mistake("prompt from outside", A, "prompts/style.md", "../../etc/passwd", (10, 11),
            "there is no prompt '../../etc/passwd'"),
    Mistake("empty prompt", P, FILES[P], "\n", (1, 1), "the file is empty"),
    Mistake("stage named twice", W, "name: reply", "name: plan", (9, 11),
            "the stage 'plan' stands twice"),
    Mistake("unknown context", T, "context: [draft]", "context: [draught]", (27, 13),
            "there is no task 'draught'", "draft"),
    Mistake("context of another stage", T, "context: [draft]", "context: [outline]", (27, 13),
            "the task 'outline' is not in the stage 'reply'"),
    Mistake("context that comes later", W, "[draft, polish]", "[polish, draft]", (27, 13),
            "the task 'draft' comes later in the stage 'reply'", told_in=T),
    Mistake("context of itself", T, "context: [draft]", "context: [polish]", (27, 13),
            "the context goes in a circle: polish -> polish"),
    # variables
    Mistake("undeclared variable", T, "about {request}", "about {reqest}", (17, 17),
            "the variable {reqest} is not declared", "request"),
    Mistake("undeclared variable in an agent", A, "Then you judge.", "Judge {request}.", (20, 11),
            "agents have no inputs"),
    Mistake("undeclared variable in a prompt", P, "No jargon.", "No {jargon}.", (2, 4),
            "agents have no inputs"),
    Mistake("unused input", T, "about {request}.", "about me.", (20, 5),
            "the input 'request' is declared, but {request} stands nowhere"),
    Mistake("unknown source", T, "from: now.date", "from: now.day", (21, 19),
            "there is no variable 'now.day'", "now.date"),
    Mistake("source that is a group", T, "from: now.date", "from: now", (21, 19),
            "'now' is a group of variables: write now.date or now.iso"),
    Mistake("source of an unknown stage", T, "stages.plan.output.kind", "stages.plam.output.kind",
            (22, 18), "there is no stage 'plam'", "stages.plan.output.kind"),
    Mistake("source of a later stage", T, "    request: message.text\n  output",
            "    request: stages.reply.text\n  output", (6, 14),
            "the stage 'reply' has not run yet"),
    Mistake("field that the schema has not", T, "stages.plan.output.kind",
            "stages.plan.output.knd", (22, 18),
            "the output_schema knows no 'stages.plan.output.knd'", "stages.plan.output.kind"),
    Mistake("user's words as instructions", T, "today: {from: now.date, as: text}",
            "today: {from: message.text, as: text}", (21, 37), "can only come as data", "data"),
    Mistake("model's words as instructions", T, "from: stages.plan.output.kind",
            "from: stages.plan.output.title", (22, 48), "can only come as data", "data"),
    Mistake("output schema that is none", T, "type: object\n    required: [kind]",
            "type: objekt\n    required: [kind]", (8, 11), "is no JSON schema"),
    Mistake("output schema on another server", T, "title: {type: string}",
            "title: {$ref: 'http://evil.example/x'}", (12, 21), "leads nowhere in this schema"),
    Mistake("output schema that refers to what is not there", T, "title: {type: string}",
            "title: {$ref: '#/$defs/none'}", (12, 21), "leads nowhere in this schema"),
    Mistake("pattern that is none", T, "title: {type: string}",
            "title: {type: string, pattern: '(?=a)'}", (12, 38), "is no pattern in RE2's form"),
    Mistake("keys by pattern", T, "title: {type: string}",
            "title: {patternProperties: {a: {}}}", (12, 34), "name the keys under 'properties'"),
    # stages and rules
    Mistake("unknown retry code", W, "[invalid_output]", "[invalid_outptu]", (8, 31),
            "'invalid_outptu' is not one of", "invalid_output"),
    Mistake("attempts without a reason", W, ", on: [invalid_output]", "", (8, 5),
            "more than one attempt needs 'on'"),
    Mistake("reason without attempts", W, "attempts: 2, ", "", (8, 13),
            "'on' has no effect with one attempt"),
    Mistake("stage longer than the turn", W, "timeout_s: 30", "timeout_s: 300", (7, 16),
            "is longer than the turn's timeout_s, 100"),
    Mistake("nothing visible", W, "    visible: true\n", "", (3, 1), "no stage is visible",
            "visible: true"),
    Mistake("lone delegate", A, "  default_model: small\nwriter",
            "  default_model: small\n  allow_delegation: true\nwriter", (6, 21),
            "the stage 'plan' has no other agent to delegate to"),
    Mistake("last task is not waited for", T, "context: [draft]",
            "context: [draft]\n  async_execution: true", (28, 20), "is the last task"),
    Mistake("stage without tasks", W, "[outline]", "[]", (6, 12), "must not be empty"),
    Mistake("rule that is none", W, '.kind == "none"', ".kind ==", (13, 40),
            "is not a rule in CEL"),
    Mistake("assignment for a comparison", W, '.kind == "none"', '.kind = "none"', (13, 40),
            "is not a rule in CEL"),
    Mistake("unknown variable in a rule", W, "stages.plan.output.kind ==",
            "stage.plan.output.kind ==", (13, 16), "there is no variable 'stage'",
            "stages.plan.output.kind"),
    Mistake("rule about an unknown stage", W, "stages.plan.output.kind ==",
            "stages.plans.output.kind ==", (13, 16), "there is no stage 'plans'",
            "stages.plan.output.kind"),
    Mistake("rule about its own stage", W, "stages.plan.output.kind ==",
            "stages.reply.text ==", (13, 16), "the stage 'reply' has not run yet"),
    Mistake("rule about an unknown field", W, "stages.plan.output.kind ==",
            "true && stages.plan.output.king ==", (13, 24),
            "the output_schema knows no 'stages.plan.output.king'", "stages.plan.output.kind"),
    Mistake("unknown function in a rule", W, 'stages.plan.output.kind == "none"',
            "sise(message.text) > 3", (13, 16), "there is no function 'sise'", "size"),
]  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.name)
def test_a_mistake_is_told_once_with_its_place_and_the_right_word(
    mistake: Mistake, tmp_path: Path
) -> None:
    assert FILES[mistake.file].count(mistake.old) == 1, "the mistake must be made at one place"
    changed = FILES[mistake.file].replace(mistake.old, mistake.new)
    folder = write(tmp_path / "letters", {**FILES, mistake.file: changed})

    with pytest.raises(ConfigError) as caught:
        load_workflow(folder, KNOWN, "crews/letters")

    (problem,) = caught.value.problems
    line, column = mistake.at
    message, suggestion = problem.message, problem.suggestion
    where = f"crews/letters/{mistake.told_in or mistake.file}"
    assert problem == Problem(where, line, column, message, suggestion)
    assert mistake.says in message
    assert suggestion == mistake.suggests


def test_at_least_forty_mistakes_are_known() -> None:
    assert len({mistake.name for mistake in MISTAKES}) >= 40
