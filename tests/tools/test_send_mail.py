"""What is a mail at all."""

from __future__ import annotations

import pytest

from callsheet.interrupts.schema import misfit
from callsheet.tools.builtin.send_mail import SendMailArgs
from callsheet.tools.edited import wrong_field

MAIL = {"to": ["ann@example.com"], "subject": "Größe – 你好", "body": "One.\r\nTwo."}


def test_a_mail_of_any_letters_and_lines_is_one() -> None:
    assert wrong_field(SendMailArgs, MAIL) is None
    assert misfit(SendMailArgs.model_json_schema(), MAIL) is None


@pytest.mark.parametrize(
    "subject", ["a\r\nBcc: eve@example.com", "a\nb", "a\n", "\0", "a\u2028b", "a\u0085b"]
)
def test_a_subject_cannot_begin_another_header(subject: str) -> None:
    found = wrong_field(SendMailArgs, {**MAIL, "subject": subject})
    assert found is not None
    assert found.path == "subject"


@pytest.mark.parametrize("address", ["a\r\n@b.example", "a@b.example\n", "a\0@b.example"])
def test_an_address_cannot_begin_another_header(address: str) -> None:
    found = wrong_field(SendMailArgs, {**MAIL, "to": [address]})
    assert found is not None
    assert found.path == "to/0"
