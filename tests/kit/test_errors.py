"""Every error says who must act: a stable code, a status, and a text that may be shown."""

from __future__ import annotations

import pytest

from callsheet.kit import errors
from callsheet.kit.errors import AppError, ConfigError, Problem, SetupError

EXPECTED = {
    "BadInput": ("invalid", 422),
    "TooLarge": ("too_large", 413),
    "TooSlow": ("body_too_slow", 408),
    "NotAllowedType": ("type_not_allowed", 415),
    "Unauthorized": ("unauthorized", 401),
    "Forbidden": ("forbidden", 403),
    "NotFound": ("not_found", 404),
    "Conflict": ("conflict", 409),
    "JournalGone": ("journal_gone", 410),
    "Refused": ("refused", 403),
    "RateLimited": ("rate_limited", 429),
    "QuotaSpent": ("budget_spent", 402),
    "Unpriced": ("unpriced", 422),
    "Unavailable": ("unavailable", 503),
    "TimedOut": ("timed_out", 504),
    "TurnFailed": ("turn_failed", 500),
}


@pytest.mark.parametrize("name", EXPECTED)
def test_a_kind_has_its_code_and_status(name: str) -> None:
    error = getattr(errors, name)("What went wrong.")
    assert isinstance(error, AppError)
    assert (error.error_code, error.status) == EXPECTED[name]
    assert str(error) == "What went wrong."


def test_every_kind_is_in_the_table() -> None:
    kinds = {
        name
        for name, kind in vars(errors).items()
        if isinstance(kind, type) and issubclass(kind, AppError)
    }
    assert kinds == {*EXPECTED, "AppError"}
    assert (AppError.code, AppError.status) == ("error", 500)


def test_one_error_may_have_a_code_of_its_own_beside_what_it_tells() -> None:
    error = errors.Conflict("Busy.", code="run_active", runId="r1")
    assert error.error_code == "run_active"
    assert error.extra == {"runId": "r1"}
    assert errors.Conflict("Busy.").error_code == "conflict"


def test_a_problem_is_read_as_file_line_column_and_hint() -> None:
    problem = Problem("agents.yaml", 3, 5, "unknown key 'rol'", "role")
    assert str(problem) == "agents.yaml:3:5: unknown key 'rol' (did you mean 'role'?)"
    assert str(Problem("a.yaml", 1, 1, "empty")) == "a.yaml:1:1: empty"


def test_a_configuration_error_tells_every_problem() -> None:
    problems = [Problem("a.yaml", 1, 1, "one"), Problem("b.yaml", 2, 1, "two")]
    error = ConfigError(problems)
    assert isinstance(error, SetupError)
    assert not isinstance(error, AppError)
    assert error.problems == tuple(problems)
    assert str(error) == "a.yaml:1:1: one\nb.yaml:2:1: two"
