"""Which model writes titles."""

from __future__ import annotations

from callsheet.kit.errors import SetupError, Unavailable
from callsheet.ledger.budget.store import BudgetGuard
from callsheet.wiring.application import Application
from callsheet.wiring.titles import TitleService


def make_titles(application: Application) -> TitleService:
    """The service; SetupError where the settings name a model that cannot be called."""
    named = application.settings.title_model
    if named is not None:
        try:
            application.llm.models.get(named)
        except Unavailable as error:
            raise SetupError(f"CALLSHEET_TITLE_MODEL: {error}") from error

    def model_code() -> str:
        """What is set, or the model of the first agent of the default workflow."""
        if named is not None:
            return named
        first = application.workflows.get(application.settings.default_workflow).stages[0]
        return first.agents[first.tasks[0].agent].default_model

    budgets = BudgetGuard(application.allowances.quotas)
    return TitleService(
        application.core, application.abilities(), model_code, budgets, application.call_metrics
    )
