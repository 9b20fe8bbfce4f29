"""Which of a provider's published keys are taken, and for what."""

from __future__ import annotations

import json
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP384R1

from callsheet.auth.jwks import NoKeySetError, parse_key_set
from tests.fakes.identity_provider import ec_key, key_set, published, rsa_key

BOTH = frozenset({"RS256", "ES256"})
RSA, EC = rsa_key("rsa-1"), ec_key("ec-1")
GOOD = published(RSA, "good")


def kids(*members: Any, algorithms: frozenset[str] = BOTH) -> list[str | None]:
    return [key.kid for key in parse_key_set(key_set(*members).encode(), algorithms).keys]


def test_a_key_is_found_by_its_name_and_for_its_algorithm_only() -> None:
    found = parse_key_set(key_set(GOOD, published(EC, "ec")).encode(), BOTH)
    assert found.find("good", "RS256") is not None
    assert found.find("ec", "ES256") is not None
    assert found.find("good", "ES256") is None
    assert found.find("good", "HS256") is None
    assert found.find("other", "RS256") is None


def test_a_token_without_a_key_s_name_may_only_mean_the_only_one() -> None:
    one = parse_key_set(key_set(GOOD, published(EC, None)).encode(), BOTH)
    assert one.find(None, "RS256") is not None
    assert one.find(None, "ES256") is not None
    two = parse_key_set(key_set(GOOD, published(rsa_key("rsa-2"), "b")).encode(), BOTH)
    assert two.find(None, "RS256") is None


@pytest.mark.parametrize(
    "member",
    [
        {"kty": "oct", "kid": "x", "k": "c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LXNlY3JldA"},
        {"kty": "oct", "kid": "x", "alg": "RS256", "k": "c2VjcmV0"},
        published(RSA, "x", alg="HS256"),
        published(RSA, "x", alg="RS512"),
        published(RSA, "x", use="enc"),
        published(RSA, "x", key_ops=["encrypt"]),
        published(rsa_key("small", 1024), "x"),
        published(ec_key("p384", SECP384R1), "x"),
        {**published(EC, "x"), "x": "AAAA"},
        {**published(RSA, "x"), "n": 5},
        {"kty": "RSA", "kid": "x", "n": "AQAB"},
        {"kty": "OKP", "crv": "Ed25519", "kid": "x", "x": "AAAA"},
        {"kid": "x"},
        "x",
    ],
    ids=range(14),
)
def test_a_key_of_another_kind_is_passed_over(member: Any) -> None:
    assert kids(GOOD, member) == ["good"]


def test_only_the_algorithms_that_are_set_are_taken() -> None:
    both = (published(RSA, "rsa"), published(EC, "ec"))
    assert kids(*both, algorithms=frozenset({"ES256"})) == ["ec"]
    with pytest.raises(NoKeySetError, match="ES256"):
        kids(published(RSA, "rsa"), algorithms=frozenset({"ES256"}))


def test_the_secret_part_of_a_key_is_not_read() -> None:
    leaked = {**GOOD, "d": "AQAB", "p": "not a number", "x5u": "https://elsewhere.example"}
    assert kids(leaked) == ["good"]


@pytest.mark.parametrize(
    "body",
    [
        b"", b"<html>", b"[]", b"5", b'{"keys": {}}', b'{"keys": []}', b"\xff\xfe", b"{}",
        b"[" * 100_000, json.dumps({"keys": [GOOD] * 101}).encode(),
    ],
    ids=range(10),
)  # fmt: skip
def test_what_is_no_key_set_is_told(body: bytes) -> None:
    with pytest.raises(NoKeySetError):
        parse_key_set(body, BOTH)
