"""Records as the documents that callers see."""

from __future__ import annotations

import msgspec

from callsheet.agui.usage import run_cost, token_usage
from callsheet.api.catalog_documents import (
    AgentDocument,
    FileProblem,
    ModelDocument,
    StageDocument,
    WorkflowDocument,
)
from callsheet.api.documents import (
    Failure,
    Message,
    MessagePage,
    Run,
    RunPage,
    Session,
    SessionPage,
    Usage,
)
from callsheet.kit.errors import Problem
from callsheet.kit.money import plain
from callsheet.kit.pages import Page
from callsheet.llm.model import Model
from callsheet.runs.run import RunRecord
from callsheet.sessions.message import MessageRecord
from callsheet.sessions.session import SessionRecord
from callsheet.workflows.workflow import Workflow


def session_view(session: SessionRecord) -> Session:
    """A session with its totals."""
    return Session(
        id=session.id,
        title=session.title,
        status=session.status,
        last_activity_at=session.last_activity_at,
        message_count=session.message_count,
        total_tokens=session.total_tokens,
        total_cost=plain(session.total_cost),
        created_at=session.created_at,
        updated_at=session.updated_at,
    )


def session_page(page: Page[SessionRecord]) -> SessionPage:
    """A page of sessions."""
    return SessionPage(items=[*map(session_view, page.items)], next_cursor=page.next_cursor)


def message_view(message: MessageRecord) -> Message:
    """A message with what it cost."""
    return Message(
        id=message.id,
        session_id=message.session_id,
        seq=message.seq,
        role=message.role,
        content=message.content,
        model_code=message.model_code,
        tool_name=message.tool_name,
        input_tokens=message.input_tokens,
        output_tokens=message.output_tokens,
        cost=plain(message.cost),
        currency=message.currency,
        latency_ms=message.latency_ms,
        metadata=dict(message.metadata),
        created_at=message.created_at,
    )


def message_page(page: Page[MessageRecord]) -> MessagePage:
    """A page of messages."""
    return MessagePage(items=[*map(message_view, page.items)], next_cursor=page.next_cursor)


def run_view(run: RunRecord) -> Run:
    """A run, how it ended and what it used."""
    failed = run.error_code is not None
    return Run(
        id=run.id,
        session_id=run.session_id,
        client_run_id=run.raw_run_id,
        thread_id=run.raw_thread_id,
        parent_run_id=run.parent_run_id,
        message_id=run.user_message_id,
        workflow=run.workflow,
        revision=run.revision,
        status=run.status,
        error=Failure(code=run.error_code or "", message=run.error_message) if failed else None,
        usage=msgspec.convert(token_usage(run.usage), list[Usage]),
        **run_cost(run.usage),
        trace_id=run.trace_id,
        created_at=run.created_at,
        started_at=run.started_at,
        finished_at=run.finished_at,
    )


def run_page(page: Page[RunRecord]) -> RunPage:
    """A page of runs."""
    return RunPage(items=[*map(run_view, page.items)], next_cursor=page.next_cursor)


def model_view(model: Model) -> ModelDocument:
    """A model that can be called; nothing of its key or address."""
    return ModelDocument(
        model_code=model.model_code,
        factory=model.factory,
        context_window_tokens=model.context_window_tokens,
        max_output_tokens=model.max_output_tokens,
        sees_images=model.sees_images,
        native_tools=model.native_tools,
        is_rehearsal=model.is_rehearsal,
    )


def workflow_view(workflow: Workflow) -> WorkflowDocument:
    """A workflow and the agents of its stages."""
    return WorkflowDocument(
        name=workflow.name,
        revision=workflow.revision,
        label=dict(workflow.label),
        description=workflow.description,
        timeout_s=workflow.timeout_s,
        stages=[
            StageDocument(
                name=stage.name,
                visible=stage.visible,
                timeout_s=stage.timeout_s,
                agents=[
                    AgentDocument(
                        name=agent.name,
                        label=dict(agent.label),
                        role=agent.role,
                        model=agent.default_model,
                        tools=list(agent.tools),
                    )
                    for agent in stage.agents.values()
                ],
            )
            for stage in workflow.stages
        ],
    )


def problem_view(problem: Problem) -> FileProblem:
    """A mistake in a file."""
    return FileProblem(
        file=problem.file,
        line=problem.line,
        column=problem.column,
        message=problem.message,
        suggestion=problem.suggestion,
    )
