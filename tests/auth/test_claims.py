"""What claims say of a caller, and when they say nothing."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import Any

import pytest

from callsheet.auth.claims import is_admin, principal_of
from callsheet.auth.options import TokenOptions
from callsheet.auth.principal import Principal, principal_named
from tests.fakes.identity_provider import AUDIENCE, ISSUER, LIFE_S, claims

NOW = datetime(2026, 1, 1, 12, 0, tzinfo=UTC)
NOW_S = int(NOW.timestamp())
OPTIONS = TokenOptions(ISSUER, AUDIENCE, leeway_s=30)


def asked(**changed: Any) -> Principal | str:
    return principal_of(claims(NOW, **changed), OPTIONS, NOW)


def test_the_user_is_named_by_sub_alone() -> None:
    named = asked(sub="u-1", name="bob", email="bob@id.example", user_id="bob", scopes=["admin"])
    assert named == principal_named("u-1")


@pytest.mark.parametrize(
    "sub", ["", " ", "x" * 101, "a\nb", "a\x00", " ann", 5, ["ann"], True, {"a": 1}]
)
def test_a_sub_that_cannot_be_a_name_is_nobody(sub: Any) -> None:
    assert asked(sub=sub) == "its sub cannot be a user's name"


@pytest.mark.parametrize(
    ("changed", "taken"),
    [
        ({}, True),
        ({"exp": NOW_S + 1}, True),
        ({"exp": NOW_S - 29}, True),
        ({"exp": NOW_S - 30}, False),
        ({"exp": NOW_S - 10 * LIFE_S}, False),
        ({"exp": float(NOW_S + 5)}, True),
        ({"exp": None}, False),
        ({"exp": str(NOW_S + LIFE_S)}, False),
        ({"exp": True}, False),
        ({"exp": math.nan}, False),
        ({"exp": math.inf}, False),
        ({"exp": 10**400}, False),
        ({"nbf": NOW_S + 30}, True),
        ({"nbf": NOW_S + 31}, False),
        ({"nbf": "soon"}, False),
        ({"iat": NOW_S + 30}, True),
        ({"iat": NOW_S + 31}, False),
        ({"iat": None}, True),
    ],
)
def test_a_token_holds_from_nbf_to_exp_and_clocks_may_differ_a_little(
    changed: dict[str, Any], taken: bool
) -> None:
    assert (asked(**changed) == principal_named("alice")) is taken


@pytest.mark.parametrize(
    ("claim", "held", "admin"),
    [
        ("role", {"role": "admin"}, True),
        ("role", {"role": "user"}, False),
        ("role", {"role": ["user", "admin"]}, True),
        ("role", {"role": "administrator"}, False),
        ("role", {"role": ["administrator"]}, False),
        ("role", {"role": True}, False),
        ("role", {"roles": "admin"}, False),
        ("role", {}, False),
        ("app_metadata.role", {"app_metadata": {"role": "admin"}}, True),
        ("app_metadata.role", {"user_metadata": {"role": "admin"}}, False),
        ("app_metadata.role", {"app_metadata": "admin"}, False),
        ("realm_access.roles", {"realm_access": {"roles": ["admin"]}}, True),
        ("https://id.example/roles", {"https://id.example/roles": ["admin"]}, True),
        (None, {"role": "admin", "scope": "admin"}, False),
    ],
)
def test_only_the_claim_that_is_named_makes_an_admin(
    claim: str | None, held: dict[str, Any], admin: bool
) -> None:
    options = TokenOptions(ISSUER, AUDIENCE, admin_claim=claim)
    assert is_admin(held, options) is admin
    found = principal_of(claims(NOW, **held), options, NOW)
    scopes = frozenset({"admin"}) if admin else frozenset[str]()
    assert found == principal_named("alice", scopes)
