"""What a workflow can do, in AG-UI's words: only what is true of this server today."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, Final

from callsheet.agui.activity_frames import HISTORY, STAGE, STEERED
from callsheet.agui.cost_frames import ACTIVITY as COST
from callsheet.agui.show import ShowOptions
from callsheet.agui.source_frames import SOURCES
from callsheet.agui.todo_activity import TODO
from callsheet.agui.tool_activity_frames import OUTPUT
from callsheet.todos.todo_list import TOOL as TODO_LIST
from callsheet.tools.artifact import ACTIVITY as ARTIFACT
from callsheet.tools.listed import ListedTool
from callsheet.tools.named import names
from callsheet.workflows.workflow import AgentSpec, Workflow

_RUNS_CODE: Final = "python_executor"


def capabilities_of(
    workflow: Workflow, show: ShowOptions, known: Iterable[ListedTool] = ()
) -> dict[str, Any]:
    """AgentCapabilities of one workflow; what is left out is not claimed.

    `known` are the tools of this process: what cannot be used now, or is denied, is not claimed.
    """
    agents = [agent for stage in workflow.stages for agent in stage.agents.values()]
    named = {tool for agent in agents for tool in agent.tools}
    usable = {tool.facts.name: tool for tool in known if tool.is_usable}
    tools = sorted(
        name for name, tool in usable.items() if any(names(word, tool.facts) for word in named)
    )
    asked = {name for name in tools if usable[name].policy == "ask"}
    return {
        "identity": _identity(workflow),
        "transport": {
            "streaming": True,
            "websocket": False,
            "httpBinary": False,
            "pushNotifications": False,
            "resumable": True,  # GET /v1/runs/{id}/events
        },
        "tools": {
            "supported": bool(tools) or workflow.takes_client_tools,
            "parallelCalls": bool(tools),
            "clientProvided": workflow.takes_client_tools,
        },
        "state": {"snapshots": True, "deltas": True, "memory": False, "persistentState": False},
        "multiAgent": {
            "supported": len(agents) > 1,
            "delegation": any(agent.allow_delegation for agent in agents),
            "handoffs": False,
            "subagents": [_subagent(agent) for agent in agents],
        },
        "reasoning": {"supported": True, "streaming": True, "encrypted": False},
        "multimodal": {"input": dict.fromkeys(("image", "audio", "video", "pdf", "file"), False)},
        "execution": {
            "codeExecution": _RUNS_CODE in tools,
            "maxIterations": _iterations(workflow),
            "maxExecutionTime": round(workflow.timeout_s * 1000),
        },
        "humanInTheLoop": _people(tools, asked),
        "custom": {
            "callsheet": {
                "workflow": workflow.name,
                "revision": workflow.revision,
                "stages": [stage.name for stage in workflow.stages],
                "tools": tools,
                "activities": _activities(tools),
                "shows": {"costs": show.costs, "models": show.models},
            }
        },
    }


def _activities(tools: Collection[str]) -> list[str]:
    """Those that the product itself has; a plugin's tool may show others."""
    of_tools = [OUTPUT, SOURCES, ARTIFACT] if tools else []
    return [COST, STAGE, HISTORY, STEERED, *of_tools, *([TODO] if TODO_LIST in tools else [])]


def _iterations(workflow: Workflow) -> int:
    """The most answers that may ask for tools, further attempts of stages among them.

    Coworkers who are asked by an agent count theirs apart.
    """
    return sum(
        stage.agents[task.agent].max_iter * stage.retry.attempts
        for stage in workflow.stages
        for task in stage.tasks
    )


def _people(tools: Collection[str], asked: Collection[str]) -> dict[str, Any]:
    approvals = bool(asked)
    interrupts = approvals or "ask_user" in tools
    return {
        "supported": interrupts,
        "interrupts": interrupts,
        "approvals": approvals,
        "approveWithEdits": approvals,
    }


def _identity(workflow: Workflow) -> dict[str, Any]:
    described = {"description": workflow.description} if workflow.description else {}
    name = workflow.label.get("en") or workflow.name
    return {"name": name, "type": "crewai", "provider": "callsheet", **described}


def _subagent(agent: AgentSpec) -> dict[str, Any]:
    return {"name": agent.name, "description": agent.role}
