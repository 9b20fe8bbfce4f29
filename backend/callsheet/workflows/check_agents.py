"""What is wrong with the agents of a draft, beyond their schema."""

from __future__ import annotations

from collections.abc import Iterator

from callsheet.kit.errors import Problem
from callsheet.kit.yaml import Document
from callsheet.kit.yaml_words import closest
from callsheet.workflows.agents_file import AgentEntry
from callsheet.workflows.draft import Draft
from callsheet.workflows.marks import marks
from callsheet.workflows.server_tools import is_servers, why_not


def agent_problems(draft: Draft) -> Iterator[Problem]:
    """Unknown models, tools and prompts; variables, which agents do not have."""
    document = draft.agents.document
    if document is None:
        return
    for name, agent in draft.agent_entries.items():
        yield from _model(draft, document, name, agent)
        yield from _tools(draft, document, name, agent)
        yield from prompt_problems(draft, document, name, agent.prompt)
        yield from _marks(draft, document, name, agent)


def prompt_problems(
    draft: Draft, document: Document, name: str, prompt: str | None
) -> Iterator[Problem]:
    """The prompt of an agent or a task that is not in the folder."""
    if prompt is None or prompt in draft.prompts:
        return
    message = f"there is no prompt {prompt!r} in {draft.folder.shown}"
    yield document.problem((name, "prompt"), message, closest(prompt, draft.prompts))


def _model(draft: Draft, document: Document, name: str, agent: AgentEntry) -> Iterator[Problem]:
    models = draft.known.models
    if models is not None and agent.default_model not in models:
        message = f"there is no model {agent.default_model!r}"
        suggestion = closest(agent.default_model, models)
        yield document.problem((name, "default_model"), message, suggestion)
    if variable := draft.known.missing_keys.get(agent.default_model):
        message = f"the model {agent.default_model!r} needs its provider's key: set {variable}"
        yield document.problem((name, "default_model"), message)


def _tools(draft: Draft, document: Document, name: str, agent: AgentEntry) -> Iterator[Problem]:
    tools = draft.known.tools
    for index, tool in enumerate(agent.tools):
        place = (name, "tools", index)
        if tools is not None and tool not in tools and not is_servers(tool, draft.known.servers):
            plain = (f"there is no tool {tool!r}", closest(tool, tools))
            yield document.problem(place, *(why_not(tool, draft.known.servers) or plain))
        if tool in agent.tools[:index]:
            yield document.problem(place, f"the tool {tool!r} is named twice")


def _marks(draft: Draft, document: Document, name: str, agent: AgentEntry) -> Iterator[Problem]:
    for key in ("role", "goal", "backstory"):
        for mark in marks(getattr(agent, key)):
            at = document.find((name, key), f"{{{mark}}}")
            yield Problem(document.file, at.line, at.column, _no_inputs(mark))
    if agent.prompt is not None:
        for mark in marks(draft.prompts.get(agent.prompt, "")):
            yield prompt_problem(draft, agent.prompt, mark, _no_inputs(mark))


def prompt_problem(draft: Draft, prompt: str, mark: str, message: str) -> Problem:
    """A problem with a mark, at its first place in the prompt."""
    text = draft.prompts[prompt]
    start = text.find(f"{{{mark}}}")
    line, column = text.count("\n", 0, start) + 1, start - text.rfind("\n", 0, start)
    return Problem(draft.folder.path(prompt), line, column, message)


def _no_inputs(mark: str) -> str:
    return f"agents have no inputs: use {{{mark}}} in a task, or write {{{{{mark}}}}} for the words"
