"""Whether a rehearsal answers, and how to change that."""

from __future__ import annotations

from callsheet.llm.key import key_variable
from callsheet.wiring.application import Application


def rehearsal_note(application: Application) -> str | None:
    """What to tell people who will be answered by a rehearsal; None where real models answer."""
    played = sorted(
        agent.default_model
        for name in application.workflows.names()
        for stage in application.workflows.get(name).stages
        for agent in stage.agents.values()
        if application.llm.models.is_played(agent.default_model)
    )
    if not played:
        return None
    factory_of = {llm.model_code: llm.factory_id for llm in application.seeds.catalog.llms}
    factories = [factory_of[code] for code in played if code in factory_of]
    example = key_variable(factories[0]) if factories else "a factory's key"
    return (
        f"No model key is set, so a rehearsal answers in the place of {', '.join(_once(played))}: "
        f"scripted and free. To connect a real model set {example} in the environment or .env, or "
        "name an endpoint of your own in config/ (README, Connecting a model)."
    )


def _once(names: list[str]) -> list[str]:
    return list(dict.fromkeys(names))
