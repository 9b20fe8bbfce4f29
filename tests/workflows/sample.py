"""A small workflow without a mistake, and ways to write it to disk with one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from callsheet.workflows.draft import Known

WORKFLOW: Final = """\
label: {en: Letters}
timeout_s: 100
stages:
  - name: plan
    agents: [planner]
    tasks: [outline]
    timeout_s: 30
    retry: {attempts: 2, on: [invalid_output]}
  - name: reply
    agents: [writer, critic]
    tasks: [draft, polish]
    visible: true
    skip_when: stages.plan.output.kind == "none"
"""

AGENTS: Final = """\
planner:
  role: Planner
  goal: Plan it
  backstory: You plan.
  default_model: small
writer:
  role: Writer
  goal: Write it
  backstory: You write.
  prompt: prompts/style.md
  default_model: large
  temperature: 0.5
  allow_delegation: true
  tools: [calculator, current_time]
critic:
  role: Critic
  goal: Find faults
  backstory: |
    You read.
    Then you judge.
  default_model: small
"""

TASKS: Final = """\
outline:
  agent: planner
  description: Plan {request}.
  expected_output: 'JSON like {"kind": "letter"} and nothing else'
  inputs:
    request: message.text
  output_schema:
    type: object
    required: [kind]
    properties:
      kind: {enum: [letter, none]}
      title: {type: string}
draft:
  agent: writer
  description: |
    Write a {kind} on {today}.
    It is about {request}.
  expected_output: A letter
  inputs:
    request: message.text
    today: {from: now.date, as: text}
    kind: {from: stages.plan.output.kind, as: text}
polish:
  agent: critic
  description: Mend the letter.
  expected_output: A better letter
  context: [draft]
"""

STYLE: Final = "Short sentences.\nNo jargon.\n"

FILES: Final[Mapping[str, str]] = {
    "workflow.yaml": WORKFLOW,
    "agents.yaml": AGENTS,
    "tasks.yaml": TASKS,
    "prompts/style.md": STYLE,
}

KNOWN: Final = Known(
    models=frozenset({"small", "large", "keyless"}),
    tools=frozenset({"calculator", "current_time"}),
    missing_keys={"keyless": "CALLSHEET_LLM__ACME__API_KEY"},
)


def write(folder: Path, files: Mapping[str, str | bytes] = FILES) -> Path:
    """The files in the folder, which is made; returns the folder."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder
