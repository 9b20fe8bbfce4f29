"""Public keys of an identity provider, as its key set (JWKS, RFC 7517) has them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import Any, Final

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from jwt import PyJWK, PyJWTError

_SHORTEST_RSA_BITS: Final = 2048
_LONGEST_RSA_BITS: Final = 8192
_MOST_KEYS: Final = 100
# Nothing else is read: neither secret parts, nor addresses of certificates.
_PARTS: Final[Mapping[str, tuple[str, ...]]] = {
    "RS256": ("kty", "n", "e"),
    "ES256": ("kty", "crv", "x", "y"),
}


class NoKeySetError(Exception):
    """There is no usable key set; the message says why, without anything secret."""


@dataclass(frozen=True, slots=True)
class PublicKey:
    """One key, for one algorithm; `kid` is the provider's name for it."""

    kid: str | None
    algorithm: str
    key: PyJWK


@dataclass(frozen=True, slots=True)
class KeySet:
    """The keys that tokens may be signed with now."""

    keys: tuple[PublicKey, ...] = ()

    def find(self, kid: str | None, algorithm: str) -> PyJWK | None:
        """The key that a token names; without a name, the only one for the algorithm."""
        fitting = [each for each in self.keys if each.algorithm == algorithm]
        named = [each for each in fitting if kid is None or each.kid == kid]
        return named[0].key if len(named) == 1 else None


def parse_key_set(body: bytes, algorithms: Set[str]) -> KeySet:
    """The keys for these algorithms; others are passed over. Raises NoKeySetError without any."""
    try:
        document = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise NoKeySetError("it is no JSON") from error
    listed = document.get("keys") if isinstance(document, dict) else None
    if not isinstance(listed, list) or len(listed) > _MOST_KEYS:
        raise NoKeySetError(f"it is no list of at most {_MOST_KEYS} keys")
    keys = [_public_key(each, algorithms) for each in listed if isinstance(each, dict)]
    found = tuple(key for key in keys if key is not None)
    if not found:
        raise NoKeySetError(f"it has no key for {' or '.join(sorted(algorithms))}")
    return KeySet(found)


def _public_key(jwk: Mapping[str, Any], algorithms: Set[str]) -> PublicKey | None:
    algorithm = _algorithm(jwk)
    operations = jwk.get("key_ops")
    if (
        algorithm not in algorithms
        or jwk.get("alg", algorithm) != algorithm
        or jwk.get("use", "sig") != "sig"
        or (isinstance(operations, list) and "verify" not in operations)
    ):
        return None
    try:
        key = PyJWK({name: jwk[name] for name in _PARTS[algorithm]}, algorithm)
    except (PyJWTError, KeyError, ValueError, TypeError):
        return None
    if isinstance(key.key, RSAPublicKey) and not (
        _SHORTEST_RSA_BITS <= key.key.key_size <= _LONGEST_RSA_BITS
    ):
        return None
    kid = jwk.get("kid")
    return PublicKey(kid if isinstance(kid, str) else None, algorithm, key)


def _algorithm(jwk: Mapping[str, Any]) -> str:
    """The one algorithm that a key of this kind is taken for; a shared secret is for none."""
    if jwk.get("kty") == "RSA":
        return "RS256"
    return "ES256" if (jwk.get("kty"), jwk.get("crv")) == ("EC", "P-256") else ""
