"""Rules in CEL, by `cel-python`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from callsheet.kit.log import get_log
from callsheet.kit.yaml_words import closest
from callsheet.workflows.rule_paths import Call, Path, named
from callsheet.workflows.variables import STAGES, Scope

log = get_log(__name__)

_MACROS: Final = frozenset({"has", "all", "exists", "exists_one", "map", "filter", "dyn"})
_ABSENT: Final = (
    "no such member",
    "no such key",
    "does not support field selection",
    "undeclared reference",
)
_WRONG_TYPE: Final = "no matching overload"


class RuleError(Exception):
    """A rule cannot be used; line and column count from 1 within its text."""

    def __init__(
        self, message: str, line: int = 1, column: int = 1, suggestion: str | None = None
    ) -> None:
        super().__init__(message)
        self.line = line
        self.column = column
        self.suggestion = suggestion


class CelRule:
    """One compiled condition. Two of the same text are equal."""

    def __init__(self, expression: str, program: Any, stages: frozenset[str]) -> None:
        self._expression = expression
        self._program = program
        self._stages = stages
        self._has_complained = False

    @property
    def expression(self) -> str:
        """The text as the author wrote it."""
        return self._expression

    @property
    def stages(self) -> frozenset[str]:
        """The stages whose results it looks at."""
        return self._stages

    def holds(self, variables: Mapping[str, Any]) -> bool:
        """Whether it is true now.

        Absent values, values of a type that the rule cannot compare and answers that are not
        true or false all make it false; the latter two are logged, once per rule.
        """
        cel = _celpy()
        try:
            answer = self._program.evaluate(cel.json_to_cel(variables))
        except cel.CELEvalError as error:
            said = str(error.args[0]) if error.args else ""
            if not any(absent in said for absent in _ABSENT):
                # Other errors may quote what a user wrote.
                self._complain(said if _WRONG_TYPE in said else "it fails on this turn's values")
            return False
        if not isinstance(answer, cel.celtypes.BoolType):
            self._complain(f"it gives {type(answer).__name__}, not true or false")
            return False
        return bool(answer)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CelRule) and other._expression == self._expression

    def __hash__(self) -> int:
        return hash(self._expression)

    def __repr__(self) -> str:
        return f"CelRule({self._expression!r})"

    def _complain(self, reason: str) -> None:
        if not self._has_complained:
            self._has_complained = True
            log.warning("rule_cannot_be_decided", rule=self._expression, reason=reason)


def compile_rule(expression: str, scope: Scope) -> CelRule:
    """The rule, after everything it names was found in `scope`.

    Raises:
        RuleError: it is no CEL, or names what is not there.
    """
    cel = _celpy()
    try:
        tree = _environment().compile(expression)
    except cel.CELParseError as error:
        line, column = error.line or 1, error.column or 1
        raise RuleError("is not a rule in CEL: it cannot be read from here on", line, column) from (
            error
        )
    stages: set[str] = set()
    for name in named(tree):
        if isinstance(name, Call):
            _check_function(name)
        else:
            _check_variable(name, scope)
            if name.steps[0] == STAGES:
                stages.add(name.steps[1])
    return CelRule(expression, _environment().program(tree), frozenset(stages))


def _check_function(call: Call) -> None:
    known = {name for name in _celpy().base_functions if name.isidentifier()} | _MACROS
    if call.name not in known:
        message = f"there is no function {call.name!r}"
        raise RuleError(message, call.line, call.column, closest(call.name, known))


def _check_variable(path: Path, scope: Scope) -> None:
    wrong = scope.wrong(path.steps, whole=True)
    if wrong is not None:
        raise RuleError(wrong.message, path.line, path.column, wrong.suggestion)


@cache
def _environment() -> Any:
    return _celpy().Environment()


@cache
def _celpy() -> Any:
    """The library, imported by the first rule: it is too slow for commands that need none."""
    from callsheet.workflows import celpy_names  # noqa: PLC0415

    return celpy_names
