"""Exact arithmetic on fractions, bounded so that no expression can take long.

Everything is a Fraction: 0.1 + 0.2 is 3/10. Functions that leave the rationals (sqrt, sin)
go through a float of 15 to 17 digits.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

from callsheet.kit.errors import ToolRetry

_MAX_BITS: Final = 4096
_MAX_FACTORIAL: Final = 400


def exact(value: int | float) -> Fraction:
    """A literal as the fraction that its shortest spelling means."""
    return bounded(Fraction(Decimal(repr(value))) if math.isfinite(value) else _too_large())


def bounded(value: Fraction) -> Fraction:
    """The value itself; raises ToolRetry where it is too large to go on with."""
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > _MAX_BITS:
        _too_large()
    return value


def _too_large() -> Any:
    raise ToolRetry("The result is too large; ask for less.")


def _power(base: Fraction, exponent: Fraction) -> Fraction:
    if exponent.denominator != 1:
        if base < 0:
            raise ToolRetry("A negative number has no real power with a fractional exponent.")
        return exact(float(base) ** float(exponent))
    if base in {-1, 0, 1} and exponent > 1:
        return base if int(exponent) % 2 else base * base
    size = max(base.numerator.bit_length(), base.denominator.bit_length())
    if abs(exponent) * (size - 1) > _MAX_BITS:
        _too_large()
    return Fraction(base ** int(exponent))


def _root(value: Fraction) -> Fraction:
    top, bottom = math.isqrt(abs(value.numerator)), math.isqrt(value.denominator)
    whole = Fraction(top, bottom)
    return whole if value >= 0 and whole * whole == value else exact(math.sqrt(value))


def _rounded(value: Fraction, places: Fraction = Fraction(0)) -> Fraction:
    """Half away from zero, as people round."""
    if abs(places) > 300:
        _too_large()
    scale = Fraction(10) ** int(places)
    whole = math.floor(abs(value) * scale + Fraction(1, 2))
    return Fraction(whole if value >= 0 else -whole) / scale


def _factorial(value: Fraction) -> Fraction:
    if value.denominator != 1 or not 0 <= value <= _MAX_FACTORIAL:
        raise ToolRetry(f"factorial takes a whole number from 0 to {_MAX_FACTORIAL}.")
    return Fraction(math.factorial(int(value)))


def _whole(function: Callable[..., int]) -> Callable[..., Fraction]:
    def on_integers(*values: Fraction) -> Fraction:
        if any(value.denominator != 1 for value in values):
            raise ToolRetry(f"{function.__name__} takes whole numbers.")
        return Fraction(function(*map(int, values)))

    return on_integers


def _real(function: Callable[..., float], *, places: int | None = None) -> Callable[..., Fraction]:
    """`places`: where the noise of a float begins (sin(pi) is 0, not 1.2e-16)."""

    def on_floats(*values: Fraction) -> Fraction:
        result = function(*map(float, values))
        return exact(result if places is None else round(result, places))

    return on_floats


def _checked(function: Callable[..., Any]) -> Callable[..., Fraction]:
    def within_bounds(*values: Fraction) -> Fraction:
        return bounded(Fraction(function(*values)))

    return within_bounds


OPERATORS: Final[Mapping[type[ast.AST], Callable[..., Fraction]]] = {
    ast.Add: _checked(operator.add),
    ast.Sub: _checked(operator.sub),
    ast.Mult: _checked(operator.mul),
    ast.Div: _checked(operator.truediv),
    ast.FloorDiv: _checked(operator.floordiv),
    ast.Mod: _checked(operator.mod),
    ast.Pow: _checked(_power),
    ast.BitXor: _checked(_power),
    ast.UAdd: _checked(operator.pos),
    ast.USub: _checked(operator.neg),
}

FUNCTIONS: Final[Mapping[str, Callable[..., Fraction]]] = {
    "abs": _checked(abs),
    "min": _checked(min),
    "max": _checked(max),
    "sum": _checked(lambda *values: sum(values, Fraction(0))),
    "round": _checked(_rounded),
    "floor": _checked(math.floor),
    "ceil": _checked(math.ceil),
    "sqrt": _checked(_root),
    "factorial": _checked(_factorial),
    "gcd": _checked(_whole(math.gcd)),
    "lcm": _checked(_whole(math.lcm)),
    "exp": _checked(_real(math.exp)),
    "ln": _checked(_real(math.log)),
    "log": _checked(_real(math.log)),
    "log2": _checked(_real(math.log2)),
    "log10": _checked(_real(math.log10)),
    "sin": _checked(_real(math.sin, places=15)),
    "cos": _checked(_real(math.cos, places=15)),
    "tan": _checked(_real(math.tan, places=15)),
    "asin": _checked(_real(math.asin)),
    "acos": _checked(_real(math.acos)),
    "atan": _checked(_real(math.atan)),
    "degrees": _checked(_real(math.degrees, places=12)),
    "radians": _checked(_real(math.radians)),
}

CONSTANTS: Final[Mapping[str, Fraction]] = {
    "pi": exact(math.pi),
    "e": exact(math.e),
    "tau": exact(math.tau),
}
