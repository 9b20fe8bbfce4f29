from __future__ import annotations

import contextlib
import time

import pytest

from callsheet.kit.errors import ToolRetry
from callsheet.tools.builtin.calculator import calculate


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("17*23", "391"),
        ("17 × 23 =", "391"),
        ("0.1+0.2", "0.3"),
        ("100*1.19", "119"),
        ("1/3", "0.333333333333333"),
        ("1/3*3", "1"),
        ("2^10", "1024"),
        ("2**-2", "0.25"),
        ("0**4", "0"),
        ("0**0", "1"),
        ("(-1)**100000001", "-1"),
        ("(-1)**100000000", "1"),
        ("2**64", "18446744073709551616"),
        ("sqrt(16)", "4"),
        ("sqrt(1/4)", "0.5"),
        ("2**0.5", "1.4142135623730951"),
        ("sin(pi)", "0"),
        ("round(2.5)", "3"),
        ("round(-2.345, 2)", "-2.35"),
        ("-7 % 3", "2"),
        ("-7 // 2", "-4"),
        ("（1+2）*３", "9"),
        ("max(1, 2, 3) - min(4, 5)", "-1"),
        ("gcd(12, 18) + lcm(4, 6)", "18"),
        ("log(8, 2)", "3"),
        ("1e-40/3", "3.33333333333333E-41"),
        ("0.5**50", "0.000000000000000888178419700125"),
    ],
)
def test_values(expression: str, value: str) -> None:
    assert calculate(expression) == value


@pytest.mark.parametrize(
    ("expression", "says"),
    [
        ("5/0", "divides by zero"),
        ("0**-1", "divides by zero"),
        ("9**9**9", "too large"),
        ("10**2000", "too large"),
        ("1e999", "too large"),
        ("exp(1000)", "too large"),
        ("factorial(401)", "0 to 400"),
        ("factorial(2.5)", "whole number"),
        ("gcd(1.5, 2)", "whole numbers"),
        ("round(1, 10**9)", "too large"),
        ("(-8)**(1/3)", "no real power"),
        ("sqrt(-1)", "not defined"),
        ("log(0)", "not defined"),
        ("sqrt()", "wrong number"),
        ("sqrt", "not defined"),
        ("", "exactly one"),
        ("1;2", "exactly one"),
        ("x=1", "exactly one"),
        ("2+", "not a complete"),
        ("5!", "not a complete"),
        ("1,000+1", "thousands"),
        ("a+1", "'a' is not known"),
        ("__import__('os')", "'__import__' is not known"),
        ("open('/etc/passwd')", "'open' is not known"),
        ("(1).real", "Only numbers"),
        ("'a'*3", "Only numbers"),
        ("True+1", "Only numbers"),
        ("1j", "Only numbers"),
        ("[1]", "Only numbers"),
        ("lambda: 1", "Only numbers"),
        ("1 if 2 else 3", "Only numbers"),
        ("1 < 2", "Only numbers"),
        ("max(*[1])", "Only numbers"),
        ("round(1, n=2)", "Only numbers"),
        ("-" * 499 + "1", "too deeply"),
    ],
)
def test_what_cannot_be_computed_says_why(expression: str, says: str) -> None:
    with pytest.raises(ToolRetry, match=says):
        calculate(expression)


@pytest.mark.parametrize(
    "expression",
    [
        "*".join(["factorial(400)"] * 30),
        "+".join(["2**4000"] * 70),
        "**".join(["9"] * 200),
        "*".join(["99999999"] * 55),
        "(" * 160 + "7" + "**7)" * 85 + ")" * 75,
    ],
)
def test_no_expression_takes_long(expression: str) -> None:
    began = time.perf_counter()
    with contextlib.suppress(ToolRetry):
        calculate(expression)
    assert time.perf_counter() - began < 0.5
