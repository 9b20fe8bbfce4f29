"""The tool that does arithmetic, so that the model does not guess it."""

from __future__ import annotations

import ast
import unicodedata
import warnings
from collections.abc import Mapping, Sequence
from decimal import Context, Decimal
from fractions import Fraction
from typing import Any, ClassVar, Final

from pydantic import BaseModel, Field
from simpleeval import (  # type: ignore[import-untyped]
    FeatureNotAvailable,
    FunctionNotDefined,
    InvalidExpression,
    NameNotDefined,
    OperatorNotDefined,
    SimpleEval,
)

from callsheet.kit.errors import ToolRetry
from callsheet.kit.money import plain
from callsheet.tools.builtin.arithmetic import CONSTANTS, FUNCTIONS, OPERATORS, bounded, exact
from callsheet.tools.builtin.ports import BuiltinPorts
from callsheet.tools.context import ToolContext
from callsheet.tools.tool import Tool

_MAX_CHARS: Final = 500
_MAX_DEPTH: Final = 100
_EXACT_DIGITS: Final = 30
_ROUNDED_DIGITS: Final = 15
_SIGNS: Final = str.maketrans({"×": "*", "·": "*", "÷": "/", "−": "-", "–": "-", "∶": "/"})
_NODES: Final = (ast.Expr, ast.Constant, ast.Name, ast.UnaryOp, ast.BinOp, ast.Call)


class CalculatorArgs(BaseModel):
    """What to compute."""

    expression: str = Field(
        max_length=_MAX_CHARS,
        description="Arithmetic such as '17*23' or 'round(sqrt(2) * 100, 2)'. Operators: "
        "+ - * / // % and ** (or ^) for powers. Functions: "
        + ", ".join(FUNCTIONS)
        + ". Constants: "
        + ", ".join(CONSTANTS)
        + ". Angles are in radians.",
    )


class Calculator:
    """Evaluates one arithmetic expression, exactly where that is possible."""

    name: ClassVar[str] = "calculator"
    description: ClassVar[str] = "Computes an arithmetic expression, exactly where possible."
    group: ClassVar[str] = "compute"
    label: ClassVar[Mapping[str, str]] = {"en": "Calculator", "zh": "计算器"}
    summary: ClassVar[str] = "Computes an arithmetic expression."
    idempotent: ClassVar[bool] = True
    Args: type[BaseModel] = CalculatorArgs

    async def run(self, args: CalculatorArgs, ctx: ToolContext) -> str:
        """The value as plain decimal text."""
        return calculate(args.expression)


def offer(ports: BuiltinPorts) -> Sequence[Tool]:
    """The tool of this module."""
    del ports
    return (Calculator(),)


def calculate(expression: str) -> str:
    """The value of `expression`: all digits where 30 hold them, else 15 significant ones.

    Raises:
        ToolRetry: it is no arithmetic, has no value, or asks for too much.
    """
    text = unicodedata.normalize("NFKC", expression).translate(_SIGNS).strip().rstrip("=").strip()
    try:
        return _shown(_Arithmetic().eval(text, _tree(text)))
    except (FunctionNotDefined, NameNotDefined) as error:
        raise ToolRetry(f"{_name_in(error)!r} is not known to the calculator.") from error
    except (FeatureNotAvailable, OperatorNotDefined, InvalidExpression) as error:
        raise ToolRetry("Only numbers, operators, functions and constants may be used.") from error
    except ZeroDivisionError as error:
        raise ToolRetry("This divides by zero.") from error
    except OverflowError as error:
        raise ToolRetry("The result is too large; ask for less.") from error
    except (TypeError, ValueError, AttributeError) as error:
        raise ToolRetry(
            "A function got a wrong number of values, or one that it is not defined for."
        ) from error


class _Arithmetic(SimpleEval):  # type: ignore[misc]  # the library ships no types
    nodes: dict[type[ast.AST], Any]

    def __init__(self) -> None:
        super().__init__(operators=OPERATORS, functions=dict(FUNCTIONS), names=CONSTANTS)
        self.nodes = {kind: self.nodes[kind] for kind in _NODES}
        self.nodes[ast.Constant] = self._number

    @staticmethod
    def _number(node: ast.Constant) -> Fraction:
        if isinstance(node.value, bool) or not isinstance(node.value, (int, float)):
            raise FeatureNotAvailable("not a number")
        return exact(node.value)


def _tree(text: str) -> ast.stmt:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            body = ast.parse(text).body
    except RecursionError as error:
        raise ToolRetry("The expression is nested too deeply.") from error
    except (SyntaxError, ValueError, MemoryError) as error:
        raise ToolRetry(
            f"{text[:80]!r} is not a complete arithmetic expression; numbers have no thousands "
            "separators and products are written with '*'."
        ) from error
    if len(body) != 1 or not isinstance(body[0], ast.Expr):
        raise ToolRetry("Send exactly one arithmetic expression.")
    if isinstance(body[0].value, ast.Tuple):
        raise ToolRetry("Send one expression; numbers have no thousands separators.")
    if _depth(body[0]) > _MAX_DEPTH:
        raise ToolRetry("The expression is nested too deeply.")
    return body[0]


def _depth(tree: ast.AST) -> int:
    """How many levels it has; counted without recursion, whose own limit others may move."""
    depth, level = 0, [tree]
    while level:
        depth += 1
        level = [child for node in level for child in ast.iter_child_nodes(node)]
    return depth


def _name_in(error: Any) -> str:
    return str(getattr(error, "func_name", None) or getattr(error, "name", ""))[:40]


def _shown(value: Any) -> str:
    number = bounded(Fraction(value))
    if number.denominator == 1:
        return str(number.numerator)
    rest = number.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    if rest == 1:
        digits = Context(prec=_MAX_CHARS * 8).divide(
            Decimal(number.numerator), Decimal(number.denominator)
        )
        if len(digits.as_tuple().digits) <= _EXACT_DIGITS:
            return plain(digits)
    rounded = Context(prec=_ROUNDED_DIGITS).divide(
        Decimal(number.numerator), Decimal(number.denominator)
    )
    return plain(rounded) if -30 < rounded.adjusted() < 60 else f"{rounded:E}"
