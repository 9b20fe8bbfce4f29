"""Records as the JSON that callers see: camelCase, money as decimal strings, times in UTC."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from callsheet.agui.usage import run_cost, token_usage
from callsheet.kit.money import plain
from callsheet.llm.model import Model
from callsheet.runs.run import RunRecord
from callsheet.sessions.message import MessageRecord
from callsheet.sessions.session import SessionRecord
from callsheet.workflows.workflow import Workflow


def session_view(session: SessionRecord) -> dict[str, Any]:
    """A session with its totals."""
    return {
        "id": str(session.id),
        "title": session.title,
        "status": session.status,
        "lastActivityAt": _time(session.last_activity_at),
        "messageCount": session.message_count,
        "totalTokens": session.total_tokens,
        "totalCost": plain(session.total_cost),
        "createdAt": _time(session.created_at),
        "updatedAt": _time(session.updated_at),
    }


def message_view(message: MessageRecord) -> dict[str, Any]:
    """A message with what it cost."""
    return {
        "id": str(message.id),
        "sessionId": str(message.session_id),
        "seq": message.seq,
        "role": message.role,
        "content": message.content,
        "modelCode": message.model_code,
        "toolName": message.tool_name,
        "inputTokens": message.input_tokens,
        "outputTokens": message.output_tokens,
        "cost": plain(message.cost),
        "currency": message.currency,
        "latencyMs": message.latency_ms,
        "metadata": dict(message.metadata),
        "createdAt": _time(message.created_at),
    }


def run_view(run: RunRecord) -> dict[str, Any]:
    """A run, how it ended and what it used."""
    return {
        "id": str(run.id),
        "sessionId": str(run.session_id),
        "clientRunId": run.raw_run_id,
        "threadId": run.raw_thread_id,
        "parentRunId": str(run.parent_run_id) if run.parent_run_id else None,
        "messageId": str(run.user_message_id) if run.user_message_id else None,
        "workflow": run.workflow,
        "revision": run.revision,
        "status": run.status,
        "error": _run_error(run),
        "usage": token_usage(run.usage),
        **run_cost(run.usage),
        "traceId": run.trace_id,
        "createdAt": _time(run.created_at),
        "startedAt": _time(run.started_at),
        "finishedAt": _time(run.finished_at),
    }


def model_view(model: Model) -> dict[str, Any]:
    """A model that can be called; nothing of its key or address."""
    return {
        "modelCode": model.model_code,
        "factory": model.factory,
        "contextWindowTokens": model.context_window_tokens,
        "maxOutputTokens": model.max_output_tokens,
        "seesImages": model.sees_images,
        "nativeTools": model.native_tools,
        "isRehearsal": model.is_rehearsal,
    }


def workflow_view(workflow: Workflow) -> dict[str, Any]:
    """A workflow and the agents of its stages."""
    return {
        "name": workflow.name,
        "revision": workflow.revision,
        "label": dict(workflow.label),
        "description": workflow.description,
        "timeoutS": workflow.timeout_s,
        "stages": [
            {
                "name": stage.name,
                "visible": stage.visible,
                "timeoutS": stage.timeout_s,
                "agents": [
                    {
                        "name": agent.name,
                        "label": dict(agent.label),
                        "role": agent.role,
                        "model": agent.default_model,
                        "tools": list(agent.tools),
                    }
                    for agent in stage.agents.values()
                ],
            }
            for stage in workflow.stages
        ],
    }


def _run_error(run: RunRecord) -> dict[str, Any] | None:
    if run.error_code is None:
        return None
    return {"code": run.error_code, "message": run.error_message}


def _time(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat().replace("+00:00", "Z")
