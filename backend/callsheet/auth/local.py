"""The one user of a server that only this machine can reach."""

from __future__ import annotations

from typing import Final

from callsheet.auth.principal import Principal, principal_named

LOCAL_USER: Final = "local"


class LocalUser:
    """Takes everybody for the local user; allowed only where `exposure` says so."""

    def __init__(self) -> None:
        self._user = principal_named(LOCAL_USER)

    async def authenticate(self, authorization: str | None) -> Principal:
        """The local user, whatever the header says."""
        del authorization
        return self._user
