"""Callers with a token (JWT) of an identity provider."""

from __future__ import annotations

from typing import Any, Final, Protocol

import jwt

from callsheet.auth.claims import principal_of
from callsheet.auth.options import TokenOptions
from callsheet.auth.principal import Principal
from callsheet.kit.clock import Clock
from callsheet.kit.log import get_log

_SHARED: Final = "HS256"
# Moments are judged by our own clock, in `claims`.
_CHECKS: Final[Any] = {
    "require": ["exp", "iss", "aud", "sub"],
    "verify_exp": False,
    "verify_nbf": False,
    "verify_iat": False,
}

log = get_log(__name__)


class PublicKeys(Protocol):
    """The identity provider's public keys."""

    async def find(self, kid: str | None, algorithm: str) -> jwt.PyJWK | None:
        """The key that a token names; None: there is no such key. Raises Unavailable."""
        ...


class Tokens:
    """Implements `auth.bearer.Source`.

    The algorithm is the deployment's choice, never the token's: each one that is taken has keys of
    its own, and a public key can never be taken for a shared secret.
    """

    def __init__(
        self, options: TokenOptions, clock: Clock, public_keys: PublicKeys | None = None
    ) -> None:
        self._options = options
        self._clock = clock
        self._public_keys = public_keys

    async def find(self, token: str) -> Principal | None:
        """The user whose token it is; raises Unavailable where keys cannot be had."""
        if token.count(".") != 2 or not token.isascii():
            return None
        try:
            found = await self._judged(token)
        except jwt.PyJWTError as error:
            found = type(error).__name__
        if isinstance(found, Principal):
            return found
        # For the operator, who may have set something wrongly; callers are told nothing of it.
        log.info("token_refused", why=found)
        return None

    async def _judged(self, token: str) -> Principal | str:
        """Whose it is, or why it is not taken."""
        header = jwt.get_unverified_header(token)
        algorithm = header.get("alg")
        if not isinstance(algorithm, str):
            return "it names no algorithm"
        key = await self._key(header.get("kid"), algorithm)
        if key is None:
            return "it is signed with no key of ours"
        claims = jwt.decode(
            token,
            key,
            algorithms=[algorithm],
            audience=self._options.audience,
            issuer=self._options.issuer,
            options=_CHECKS,
        )
        return principal_of(claims, self._options, self._clock.now())

    async def _key(self, kid: str | None, algorithm: str) -> jwt.PyJWK | str | None:
        if algorithm == _SHARED:
            return self._options.secret
        if self._public_keys is None or algorithm not in self._options.jwks_algorithms:
            return None
        return await self._public_keys.find(kid, algorithm)
