from __future__ import annotations

import pytest

from callsheet.tools.sandbox.precheck import reason_against

MOST = 65_536


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("print(1)\0print(2)", "NUL"),
        ("x = '\ud800'", "surrogate"),
        ("#" * (MOST + 1), "longer than 65536 bytes"),
        ("# " + "é" * (MOST // 2), "longer than 65536 bytes"),
        ("# -*- coding: utf-7 -*-\n", "'utf-7'"),
        ("#!/usr/bin/python\n# vim: set fileencoding=latin-1 :\n", "'latin-1'"),
        ("\r# coding=shift_jis\rprint(1)", "'shift_jis'"),
        ("# coding: no-such-thing\n", "'no-such-thing'"),
    ],
)
def test_a_text_that_is_not_what_it_seems_is_refused(code: str, said: str) -> None:
    reason = reason_against(code, most_bytes=MOST)

    assert reason is not None
    assert said in reason


@pytest.mark.parametrize(
    "code",
    [
        "",
        "print('hello')",
        "# -*- coding: utf-8 -*-\nprint(1)",
        "# coding: UTF8\n",
        "x = 1\n# coding: latin-1 is what the file of 1998 had\n",
        "\n\n# coding: latin-1\n",
        "#" * MOST,
        "print('\U0001f600 漢字')",
    ],
)
def test_plain_programs_pass(code: str) -> None:
    assert reason_against(code, most_bytes=MOST) is None
