"""Tokens: which are taken, and that nothing but a signature of the provider's makes one good."""

from __future__ import annotations

import base64
import json
from collections.abc import AsyncIterator
from typing import Any

import jwt
import pytest
from structlog.testing import capture_logs

from callsheet.auth.jwks_cache import JwksCache
from callsheet.auth.jwks_http import JwksEndpoint
from callsheet.auth.options import TokenOptions
from callsheet.auth.principal import principal_named
from callsheet.auth.tokens import Tokens
from tests.fakes.clock import HandClock
from tests.fakes.identity_provider import (
    AUDIENCE,
    ISSUER,
    LIFE_S,
    SECRET,
    IdentityProvider,
    claims,
    ec_key,
    identity_provider,
    public_pem,
    rsa_key,
)

CLOCK = HandClock()
ALICE = principal_named("alice")
BOTH = frozenset({"RS256", "ES256"})


@pytest.fixture
async def provider() -> AsyncIterator[IdentityProvider]:
    async with identity_provider() as found:
        yield found


def tokens(provider: IdentityProvider, clock: HandClock = CLOCK, **options: Any) -> Tokens:
    """Takes all three algorithms unless told otherwise."""
    endpoint = JwksEndpoint(provider.url, BOTH)
    chosen = TokenOptions(ISSUER, AUDIENCE, **{"secret": SECRET, **options})
    return Tokens(chosen, clock, JwksCache(endpoint.fetch, clock))


def shared(key: str = SECRET, algorithm: str = "HS256", **changed: Any) -> str:
    return jwt.encode(claims(CLOCK.now(), **changed), key, algorithm)


def by_hand(header: dict[str, Any], body: Any, signature: bytes = b"x") -> str:
    """A token as only somebody with bad intent makes it."""
    parts = [json.dumps(header).encode(), json.dumps(body).encode(), signature]
    return ".".join(base64.urlsafe_b64encode(part).decode().rstrip("=") for part in parts)


async def test_each_algorithm_that_is_set_is_taken(provider: IdentityProvider) -> None:
    found = tokens(provider)
    assert await found.find(shared()) == ALICE
    assert await found.find(provider.token("rsa-1", CLOCK.now())) == ALICE
    assert await found.find(provider.token("ec-1", CLOCK.now())) == ALICE


async def test_what_is_not_set_is_not_taken(provider: IdentityProvider) -> None:
    keys_only, secret_only = (
        tokens(provider, secret=None),
        Tokens(TokenOptions(ISSUER, AUDIENCE, SECRET), CLOCK),
    )
    assert await keys_only.find(shared()) is None
    assert await secret_only.find(provider.token("rsa-1", CLOCK.now())) is None
    assert await secret_only.find(shared()) == ALICE
    rsa_only = tokens(provider, jwks_algorithms=frozenset({"RS256"}))
    assert await rsa_only.find(provider.token("ec-1", CLOCK.now())) is None
    assert await rsa_only.find(provider.token("rsa-1", CLOCK.now())) == ALICE


@pytest.mark.parametrize(
    "changed",
    [
        {"aud": "another"}, {"aud": ["a", "b"]}, {"aud": None}, {"aud": []}, {"aud": {"a": 1}},
        {"iss": "https://evil.example"}, {"iss": ISSUER + "/"}, {"iss": None}, {"iss": [ISSUER]},
        {"sub": None}, {"sub": 5}, {"exp": None}, {"exp": "never"},
        {"exp": int(CLOCK.now().timestamp()) - LIFE_S},
        {"nbf": int(CLOCK.now().timestamp()) + LIFE_S},
    ],
    ids=str,
)  # fmt: skip
async def test_claims_that_are_not_ours_are_refused(
    provider: IdentityProvider, changed: dict[str, Any]
) -> None:
    body = {**claims(CLOCK.now()), **changed}
    body = {name: value for name, value in body.items() if value is not None}
    key = rsa_key("rsa-1")
    # Signed without the library's own checks, as another program may do it.
    token = jwt.api_jws.encode(json.dumps(body).encode(), key, "RS256", {"kid": "rsa-1"})
    assert await tokens(provider).find(token) is None


async def test_one_of_several_audiences_is_enough(provider: IdentityProvider) -> None:
    assert await tokens(provider).find(shared(aud=["other", AUDIENCE])) == ALICE


async def test_a_token_expires_by_our_clock(provider: IdentityProvider) -> None:
    clock = HandClock()
    found = tokens(provider, clock)
    token = provider.token("rsa-1", clock.now())
    clock.forward(LIFE_S + 29)
    assert await found.find(token) == ALICE
    clock.forward(1)
    assert await found.find(token) is None


async def test_a_public_key_is_never_a_shared_secret(provider: IdentityProvider) -> None:
    pem = public_pem(rsa_key("rsa-1"))
    # The library refuses to sign with such a secret, so the forger does it alone.
    key = jwt.algorithms.HMACAlgorithm(jwt.algorithms.HMACAlgorithm.SHA256)
    for kid in ("rsa-1", "ec-1", None):
        header = {"alg": "HS256", "typ": "JWT", **({"kid": kid} if kid else {})}
        unsigned = by_hand(header, claims(CLOCK.now())).rpartition(".")[0]
        signature = key.sign(unsigned.encode(), pem.encode())
        forged = f"{unsigned}.{base64.urlsafe_b64encode(signature).decode().rstrip('=')}"
        assert await tokens(provider).find(forged) is None
        assert await tokens(provider, secret=None).find(forged) is None


@pytest.mark.parametrize(
    "header",
    [
        {"alg": "none"}, {"alg": "None"}, {"alg": ""}, {"alg": None}, {"alg": ["HS256"]}, {},
        {"alg": "HS512"}, {"alg": "RS512", "kid": "rsa-1"}, {"alg": "PS256", "kid": "rsa-1"},
        {"alg": "RS256", "kid": "ec-1"}, {"alg": "ES256", "kid": "rsa-1"},
        {"alg": "RS256", "kid": 5}, {"alg": "RS256", "kid": {"a": 1}},
        {"alg": "RS256", "kid": "rsa-1", "crit": ["exp"], "exp": 1},
        {"alg": "RS256", "kid": "rsa-1", "b64": False},
    ],
    ids=str,
)  # fmt: skip
@pytest.mark.parametrize("signature", [b"", b"x"])
async def test_the_token_does_not_choose_how_it_is_checked(
    provider: IdentityProvider, header: dict[str, Any], signature: bytes
) -> None:
    assert await tokens(provider).find(by_hand(header, claims(CLOCK.now()), signature)) is None


async def test_keys_that_the_token_brings_along_are_not_used(provider: IdentityProvider) -> None:
    own = rsa_key("mallory")
    brought = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(own.public_key()))
    for more in ({"jwk": brought}, {"jku": "http://127.0.0.1:1/"}, {"x5u": "http://127.0.0.1:1/"}):
        headers = {"kid": "rsa-1", **more}
        token = jwt.encode(claims(CLOCK.now()), own, "RS256", headers=headers)
        assert await tokens(provider).find(token) is None


async def test_another_signer_and_another_body_are_refused(provider: IdentityProvider) -> None:
    found = tokens(provider)
    head, body, signature = provider.token("ec-1", CLOCK.now()).split(".")
    other = shared(sub="bob").split(".")[1]
    assert await found.find(f"{head}.{other}.{signature}") is None
    assert await found.find(f"{head}.{body}.{signature[:-4]}AAAA") is None
    assert await found.find(shared("another-secret-of-more-than-32-bytes-000")) is None
    mallory = {"kid": "ec-1"}
    foreign = jwt.encode(claims(CLOCK.now()), ec_key("mallory"), "ES256", headers=mallory)
    assert await found.find(foreign) is None


@pytest.mark.parametrize(
    "token",
    ["", ".", "..", "a.b.c", "a.b.c.d", "é.é.é", "\ud800.a.b", "csk_x", "e30.e30.", "." * 9],
)
async def test_what_is_no_token_is_nobody_s(provider: IdentityProvider, token: str) -> None:
    assert await tokens(provider).find(token) is None


async def test_the_log_says_why_and_never_what(provider: IdentityProvider) -> None:
    token = shared(aud="another", sub="somebody-in-particular")
    with capture_logs() as lines:
        await tokens(provider).find(token)
        await tokens(provider).find("a.b.c")
    assert [line["why"] for line in lines] == ["InvalidAudienceError", "DecodeError"]
    assert not any(part in str(lines) for part in [*token.split("."), "somebody-in-particular"])


async def test_the_secret_is_not_shown() -> None:
    assert SECRET not in repr(TokenOptions(ISSUER, AUDIENCE, SECRET))
