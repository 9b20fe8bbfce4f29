"""Tokens that open nothing."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import jwt

from tests.fakes.identity_provider import (
    LIFE_S,
    SECRET,
    IdentityProvider,
    claims,
    public_pem,
    rsa_key,
)


def bad_tokens(provider: IdentityProvider, now: datetime) -> Mapping[str, str]:
    """One of each kind, by what is wrong with it."""
    gone = int(now.timestamp()) - LIFE_S
    head, body, signature = provider.token("rsa-1", now).split(".")
    unknown = jwt.encode(claims(now), rsa_key("unknown"), "RS256", headers={"kid": "unknown"})
    return {
        "an expired token": provider.token("rsa-1", now, exp=gone),
        "an expired shared token": _shared(claims(now, exp=gone)),
        "another audience": provider.token("rsa-1", now, aud="another"),
        "another issuer": provider.token("rsa-1", now, iss="https://evil.example"),
        "no expiry": _shared(claims(now, exp=None)),
        "no subject": _shared(claims(now, sub=None)),
        "no algorithm": f"{_part({'alg': 'none'})}.{_part(claims(now))}.",
        "a public key as a secret": _confused(now),
        "an unknown kid": unknown,
        "another body": f"{head}.{_part(claims(now, sub='bob'))}.{signature}",
        "no signature": f"{head}.{body}.",
        "another secret": jwt.encode(claims(now), "x" * 40, "HS256"),
        "nonsense": "a.b.c",
    }


def _shared(body: Mapping[str, Any]) -> str:
    return jwt.encode(dict(body), SECRET, "HS256")


def _confused(now: datetime) -> str:
    """Signed with what everybody knows; the library itself would refuse to do it."""
    unsigned = f"{_part({'alg': 'HS256', 'kid': 'rsa-1'})}.{_part(claims(now))}"
    mac = jwt.algorithms.HMACAlgorithm(jwt.algorithms.HMACAlgorithm.SHA256)
    signature = mac.sign(unsigned.encode(), public_pem(rsa_key("rsa-1")).encode())
    return f"{unsigned}.{_text(signature)}"


def _part(value: Any) -> str:
    return _text(json.dumps(value).encode())


def _text(value: bytes) -> str:
    return base64.urlsafe_b64encode(value).decode().rstrip("=")
