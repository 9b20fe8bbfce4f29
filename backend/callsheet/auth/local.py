"""The one user of a server that only this machine can reach."""

from __future__ import annotations

from typing import Final

from callsheet.auth.bearer import Bearer, Source, bearer_token
from callsheet.auth.key import START
from callsheet.auth.principal import ADMIN, Principal, principal_named

LOCAL_USER: Final = "local"


class LocalUser:
    """Takes everybody for the local user, an admin; allowed only where `exposure` says so.

    A key that was made here counts nevertheless, so that it can be tried before others use it.
    """

    def __init__(self, stored_keys: Source | None = None) -> None:
        self._user = principal_named(LOCAL_USER, frozenset({ADMIN}))
        self._keys = Bearer([stored_keys] if stored_keys else [])

    async def authenticate(self, authorization: str | None) -> Principal:
        """The local user, whatever the header says; a made key's own user, or Unauthorized."""
        if bearer_token(authorization).startswith(START):
            return await self._keys.authenticate(authorization)
        return self._user
