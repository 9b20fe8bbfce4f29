"""An identity provider: signs tokens, and publishes its keys on a port of this machine."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric.ec import (
    SECP256R1,
    EllipticCurve,
    EllipticCurvePrivateKey,
)
from cryptography.hazmat.primitives.asymmetric.ec import generate_private_key as generate_ec
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key as generate_rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from jwt.algorithms import ECAlgorithm, RSAAlgorithm

from tests.fakes.byte_server import ByteServer, byte_server, status

ISSUER = "https://id.example/auth/v1"
AUDIENCE = "callsheet"
SECRET = "a-shared-secret-of-forty-two-characters-00"
LIFE_S = 3600


@cache
def rsa_key(name: str, bits: int = 2048) -> RSAPrivateKey:
    """The same for the same name within a run of the tests."""
    del name
    return generate_rsa(65537, bits)


@cache
def ec_key(name: str, curve: type[EllipticCurve] = SECP256R1) -> EllipticCurvePrivateKey:
    del name
    return generate_ec(curve())


def public_pem(key: RSAPrivateKey) -> str:
    """What anybody can know of the key, as text."""
    return key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()


def published(key: RSAPrivateKey | EllipticCurvePrivateKey, kid: str | None, **more: Any) -> Any:
    """The key as a member of a key set."""
    kind: Any = RSAAlgorithm if isinstance(key, RSAPrivateKey) else ECAlgorithm
    member = json.loads(kind.to_jwk(key.public_key()))
    member.pop("key_ops", None)
    return {**member, **({"kid": kid} if kid is not None else {}), **more}


def key_set(*members: Any) -> str:
    return json.dumps({"keys": list(members)})


def claims(now: datetime, **changed: Any) -> dict[str, Any]:
    """Good ones for alice; a claim that is None is left out."""
    good = {
        "sub": "alice",
        "iss": ISSUER,
        "aud": AUDIENCE,
        "iat": int(now.timestamp()),
        "exp": int(now.timestamp()) + LIFE_S,
    }
    return {name: value for name, value in {**good, **changed}.items() if value is not None}


@dataclass
class IdentityProvider:
    """Its keys are `rsa-1` and `ec-1`; `http.steps` may be changed to let it fail."""

    http: ByteServer
    keys: dict[str, RSAPrivateKey | EllipticCurvePrivateKey] = field(default_factory=dict)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.http.port}/.well-known/jwks.json"

    @property
    def asked(self) -> int:
        """How often somebody came for the keys."""
        return self.http.connections

    def publish(self, **keys: RSAPrivateKey | EllipticCurvePrivateKey) -> None:
        """These keys and no others."""
        self.keys = dict(keys)
        members = [published(key, kid) for kid, key in keys.items()]
        self.http.steps = (status(200, key_set(*members)),)

    def go_away(self, code: int = 500) -> None:
        """Answer with a failure from now on."""
        self.http.steps = (status(code),)

    def token(self, kid: str, now: datetime, **changed: Any) -> str:
        """A token that is signed by the key of that name."""
        key = self.keys[kid]
        algorithm = "RS256" if isinstance(key, RSAPrivateKey) else "ES256"
        return jwt.encode(claims(now, **changed), key, algorithm, headers={"kid": kid})


def first_keys() -> dict[str, RSAPrivateKey | EllipticCurvePrivateKey]:
    return {"rsa-1": rsa_key("rsa-1"), "ec-1": ec_key("ec-1")}


@asynccontextmanager
async def identity_provider() -> AsyncIterator[IdentityProvider]:
    async with byte_server() as http:
        provider = IdentityProvider(http)
        provider.publish(**first_keys())
        yield provider
