"""The `Authorization` header, judged by one source of identities after the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol

from callsheet.auth.principal import Principal
from callsheet.kit.errors import Unauthorized

LONGEST_TOKEN: Final = 8192
_WHAT_TO_SEND: Final = (
    "Send a valid key or token in the header 'Authorization: Bearer <key or token>'."
)


class Source(Protocol):
    """Knows some keys or tokens."""

    async def find(self, token: str) -> Principal | None:
        """Whose it is; None where it is not one of these, or not a valid one.

        Raises Unavailable where that cannot be said now.
        """
        ...


class Bearer:
    """Callers that send a key or a token."""

    def __init__(self, sources: Sequence[Source]) -> None:
        self._sources = tuple(sources)

    async def authenticate(self, authorization: str | None) -> Principal:
        """The user that the first source knows by it; raises Unauthorized, Unavailable.

        What is wrong with a key or token is not told: it would help whoever tries some out.
        """
        token = bearer_token(authorization)
        for source in self._sources if token else ():
            found = await source.find(token)
            if found is not None:
                return found
        raise Unauthorized(_WHAT_TO_SEND)


def bearer_token(authorization: str | None) -> str:
    """The part of the header behind `Bearer`; empty where there is none that can be one."""
    scheme, _, rest = (authorization or "").partition(" ")
    token = rest.strip()
    is_one = scheme.lower() == "bearer" and len(token) <= LONGEST_TOKEN
    return token if is_one else ""
