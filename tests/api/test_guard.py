"""No web page can spend money through a server without keys."""

from __future__ import annotations

from dataclasses import replace

import pytest

from callsheet.api.guard import Ask, check_local, check_type
from callsheet.auth.exposure import own_hosts

OWN = own_hosts("127.0.0.1")
ALLOWED = frozenset({"http://localhost:5173"})


def ask(
    host: str | None = "localhost:8000",
    origin: str | None = None,
    method: str = "POST",
    content_type: str | None = "application/json",
    has_body: bool = True,
) -> Ask:
    return Ask(method, 8000, host, origin, content_type, has_body)


@pytest.mark.parametrize(
    ("host", "taken"),
    [
        ("localhost:8000", True), ("LOCALHOST:8000", True), ("127.0.0.1:8000", True),
        ("[::1]:8000", True), ("localhost", False), ("localhost:8001", False),
        ("evil.example:8000", False), ("localhost.evil.example:8000", False),
        ("127.0.0.1.nip.io:8000", False), ("localhost:8000@evil.example", False),
        ("localhost:8000/x", False), ("localhost:", False), ("localhost:x", False),
        ("", False), (None, False), ("[::1", False), ("0.0.0.0:8000", False),
        ("localhost.:8000", False),
    ],
)  # fmt: skip
def test_only_its_own_names_are_answered(host: str | None, taken: bool) -> None:
    refused = check_local(ask(host=host), OWN, ALLOWED)
    assert (refused is None) is taken
    if refused is not None:
        assert (refused.status, refused.error_code) == (403, "host_not_allowed")


@pytest.mark.parametrize(
    ("origin", "taken"),
    [
        (None, True), ("http://localhost:8000", True), ("http://127.0.0.1:8000", True),
        ("http://[::1]:8000", True), ("http://localhost:5173", True),
        ("http://localhost:8001", False), ("https://localhost:5173", False),
        ("http://evil.example", False), ("http://localhost:8000.evil.example", False),
        ("null", False), ("", False), ("localhost:8000", False), ("file://", False),
        ("http://localhost:5173/", False),
    ],
)  # fmt: skip
def test_only_its_own_and_listed_origins_are_answered(origin: str | None, taken: bool) -> None:
    refused = check_local(ask(origin=origin), OWN, ALLOWED)
    assert (refused is None) is taken
    if refused is not None:
        assert (refused.status, refused.error_code) == (403, "origin_not_allowed")


@pytest.mark.parametrize(
    ("method", "content_type", "has_body", "taken"),
    [
        ("POST", "application/json", True, True),
        ("POST", "Application/JSON; charset=utf-8", True, True),
        ("POST", None, False, True),
        ("POST", None, True, False),
        ("POST", "", True, False),
        ("POST", "text/plain", True, False),
        ("POST", "text/plain", False, False),
        ("POST", "application/octet-stream", False, True),
        ("POST", "application/octet-stream", True, False),
        ("POST", "text/plain; x=application/json", True, False),
        ("POST", "application/x-www-form-urlencoded", True, False),
        ("POST", "multipart/form-data; boundary=x", True, False),
        ("PATCH", "text/plain", True, False),
        ("DELETE", "text/plain", True, False),
        ("DELETE", None, False, True),
        ("GET", "text/plain", False, True),
    ],
)
def test_only_json_bodies_are_taken(
    method: str, content_type: str | None, has_body: bool, taken: bool
) -> None:
    refused = check_type(ask(method=method, content_type=content_type, has_body=has_body))
    assert (refused is None) is taken
    if refused is not None:
        assert (refused.status, refused.error_code) == (415, "type_not_allowed")


@pytest.mark.parametrize(
    ("encoding", "taken"), [(None, True), ("identity", True), ("gzip", False), ("br", False)]
)
def test_a_body_that_would_grow_when_unpacked_is_refused(encoding: str | None, taken: bool) -> None:
    refused = check_type(replace(ask(), content_encoding=encoding))
    assert (refused is None) is taken
    if refused is not None:
        assert (refused.status, refused.extra["field"]) == (415, "Content-Encoding")
