"""Secrets are masked by the look of a value, and no text takes long to look through."""

from __future__ import annotations

import pytest

from callsheet.kit.redact import Redactor


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("key sk-abcdefgh1234 end", "key *** end"),
        ("Authorization: Bearer abcdefgh1234", "Authorization: Bearer ***"),
        ("token=eyJhbGciOiJI.eyJzdWIiOiIx.c2ln", "token=***"),
        ("postgresql://user:pa:ss@host/db", "postgresql://***@host/db"),
        ("redis://:secret@host", "redis://***@host"),
        ("http://host:80/a:b@c", "http://host:80/a:b@c"),
        ("risk-free task-list", "risk-free task-list"),
    ],
)
def test_what_looks_like_a_secret_is_masked(text: str, shown: str) -> None:
    assert Redactor().text(text) == shown


@pytest.mark.parametrize(
    "piece", [":", "a:", "://a:", "-eyJaaaaaaaa", "eyJaaaaaaaa.", "sk-", "Bearer ", "x@:"]
)
def test_a_long_path_of_a_stranger_does_not_hold_up_the_server(piece: str) -> None:
    """A request's path is logged before anybody knows who asks; it may have 64 KiB.

    Looked through in steps that grow with the square of its length, it took minutes.
    """
    text = "http://" + piece * (60_000 // len(piece))
    assert len(Redactor(["known-secret"]).text(text)) <= len(text)
