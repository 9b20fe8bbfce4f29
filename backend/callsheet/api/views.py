"""Records as the documents that callers see."""

from __future__ import annotations

import msgspec

from callsheet.agui.show import ShowOptions
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


def session_view(session: SessionRecord, show: ShowOptions) -> Session:
    """A session with its totals."""
    return Session(
        id=session.id,
        title=session.title,
        status=session.status,
        last_activity_at=session.last_activity_at,
        message_count=session.message_count,
        total_tokens=session.total_tokens,
        total_cost=plain(session.total_cost) if show.costs else msgspec.UNSET,
        pinned_at=session.pinned_at,
        mode=session.mode,
        persona=session.persona,
        budget=_budget(session, show),
        created_at=session.created_at,
        updated_at=session.updated_at,
    )


def _budget(session: SessionRecord, show: ShowOptions) -> str | msgspec.UnsetType | None:
    if not show.costs:
        return msgspec.UNSET
    return None if session.budget is None else plain(session.budget)


def session_page(page: Page[SessionRecord], show: ShowOptions) -> SessionPage:
    """A page of sessions."""
    items = [session_view(session, show) for session in page.items]
    return SessionPage(items=items, next_cursor=page.next_cursor)


def message_view(message: MessageRecord, show: ShowOptions) -> Message:
    """A message with what it cost."""
    return Message(
        id=message.id,
        session_id=message.session_id,
        seq=message.seq,
        role=message.role,
        content=message.content,
        model_code=message.model_code if show.models else msgspec.UNSET,
        tool_name=message.tool_name,
        input_tokens=message.input_tokens,
        output_tokens=message.output_tokens,
        cost=plain(message.cost) if show.costs else msgspec.UNSET,
        currency=message.currency if show.costs else msgspec.UNSET,
        latency_ms=message.latency_ms,
        metadata=dict(message.metadata),
        created_at=message.created_at,
    )


def message_page(page: Page[MessageRecord], show: ShowOptions) -> MessagePage:
    """A page of messages."""
    items = [message_view(message, show) for message in page.items]
    return MessagePage(items=items, next_cursor=page.next_cursor)


def run_view(run: RunRecord, show: ShowOptions) -> Run:
    """A run, how it ended and what it used."""
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
        error=_failure(run, show),
        usage=msgspec.convert(token_usage(run.usage, show), list[Usage]),
        **run_cost(run.usage, show),
        trace_id=run.trace_id,
        created_at=run.created_at,
        started_at=run.started_at,
        finished_at=run.finished_at,
    )


def run_page(page: Page[RunRecord], show: ShowOptions) -> RunPage:
    """A page of runs."""
    items = [run_view(run, show) for run in page.items]
    return RunPage(items=items, next_cursor=page.next_cursor)


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


def workflow_view(workflow: Workflow, show: ShowOptions) -> WorkflowDocument:
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
                        model=agent.default_model if show.models else msgspec.UNSET,
                        tools=list(agent.tools),
                    )
                    for agent in stage.agents.values()
                ],
            )
            for stage in workflow.stages
        ],
    )


def problem_view(problem: Problem, show: ShowOptions) -> FileProblem:
    """A mistake in a file; only where it is, where its words may name a model or a price."""
    return FileProblem(
        file=problem.file,
        line=problem.line,
        column=problem.column,
        message=problem.message if show.everything else "`callsheet check` says what is wrong.",
        suggestion=problem.suggestion if show.everything else None,
    )


def _failure(run: RunRecord, show: ShowOptions) -> Failure | None:
    code = run.error_code
    if code is None:
        return None
    message = run.error_message
    return Failure(code=code, message=None if message is None else show.told(code, message))
