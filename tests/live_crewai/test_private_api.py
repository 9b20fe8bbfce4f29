"""What of CrewAI's inside is relied on. A new version that changes it fails here first."""

from __future__ import annotations

import inspect
import threading
from importlib.metadata import version
from typing import Any

from tests.fakes.chat import ScriptedChat, text
from tests.fakes.stage import stage_work
from tests.live_crewai.playing import Play


def test_the_version_is_the_one_that_was_studied() -> None:
    assert version("crewai") == "1.15.30"


def test_the_executor_has_the_fields_and_the_method_that_are_used() -> None:
    from crewai.agents.agent_executor import AgentExecutor

    assert {"llm", "task", "agent", "crew", "prompt"} <= set(AgentExecutor.model_fields)
    assert inspect.iscoroutinefunction(AgentExecutor.ainvoke)
    assert hasattr(AgentExecutor, "_setup_executor")
    assert hasattr(AgentExecutor, "_flow_post_init")
    assert "_console" in AgentExecutor.__private_attributes__


def test_the_agent_has_the_methods_that_are_replaced() -> None:
    from crewai import Agent

    assert {"tools", "task"} <= set(inspect.signature(Agent.create_agent_executor).parameters)
    assert "task_prompt" in inspect.signature(Agent._use_trained_data).parameters
    assert inspect.iscoroutinefunction(Agent.aexecute_task)


def test_a_context_says_that_coding_assistants_were_looked_for() -> None:
    from crewai.utilities import env

    assert env._env_context_emitted.get() is False
    assert "_env_context_emitted" in inspect.getsource(env.get_env_context)


def test_what_is_patched_is_still_there() -> None:
    from crewai.events import event_context, event_listener
    from crewai.events.event_bus import crewai_event_bus
    from crewai.events.listeners.tracing import trace_listener
    from crewai.utilities import file_store, task_output_storage_handler
    from crewai_core import settings, token_manager

    for owner, name in (
        (crewai_event_bus, "_sync_handlers"),
        (crewai_event_bus, "_async_handlers"),
        (crewai_event_bus, "_handler_dependencies"),
        (crewai_event_bus, "_console"),
        (event_context, "_console"),
        (event_listener.EventListener, "setup_listeners"),
        (trace_listener.TraceCollectionListener, "setup_listeners"),
        (task_output_storage_handler.TaskOutputStorageHandler, "reset"),
        (file_store, "_run_sync"),
        (file_store, "_file_store"),
        (settings, "DEFAULT_CONFIG_PATH"),
        (token_manager.TokenManager, "_get_secure_storage_path"),
    ):
        assert hasattr(owner, name), f"{owner} has no {name}"
    bus: Any = type(crewai_event_bus)
    assert hasattr(bus, "_record_event")
    assert hasattr(bus, "_register_source")
    assert hasattr(event_context._console, "print")


async def test_crewai_tells_the_lifecycle_in_this_order_on_the_loops_own_thread() -> None:
    from crewai.events.stream_context import add_stream_sink

    seen: list[tuple[str, int]] = []

    def sink(_source: Any, event: Any) -> None:
        seen.append((event.type, threading.get_ident()))

    add_stream_sink(sink)
    await Play.of(ScriptedChat([text("ok")])).run(stage_work())
    kinds = [kind for kind, _ in seen]
    wanted = [
        "crew_kickoff_started",
        "task_started",
        "agent_execution_started",
        "agent_execution_completed",
        "task_completed",
        "crew_kickoff_completed",
    ]
    assert [kind for kind in kinds if kind in wanted] == wanted
    assert {thread for _, thread in seen} == {threading.get_ident()}


async def test_no_handler_is_on_the_bus() -> None:
    from crewai.events.event_bus import crewai_event_bus

    await Play.of(ScriptedChat([text("ok")])).run(stage_work())
    assert not crewai_event_bus._sync_handlers
    assert not crewai_event_bus._async_handlers
