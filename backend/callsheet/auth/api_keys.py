"""Callers with a key each, from the deployment's settings."""

from __future__ import annotations

import hmac
from collections.abc import Collection, Iterable
from typing import Final

from callsheet.auth.key import hash_of
from callsheet.auth.principal import ADMIN, LONGEST_NAME, Principal, is_name, principal_named
from callsheet.kit.errors import SetupError

# A shorter one can be tried out, and could not be told from ordinary words in the log.
SHORTEST_KEY: Final = 8
_FORM = "CALLSHEET_AUTH__API_KEYS is a comma-separated list of name:key"


class ApiKeys:
    """Knows the hashes of all keys, never the keys themselves.

    `entries` are `name:key`; a name may have several keys (the old and the new one). The names in
    `admins` have the scope admin.
    """

    def __init__(self, entries: Iterable[str], admins: Collection[str] = ()) -> None:
        self._users: dict[bytes, Principal] = {}
        for place, entry in enumerate(entries, start=1):
            name, mark, key = (part.strip() for part in entry.partition(":"))
            if not (name and mark and key):
                raise SetupError(f"{_FORM}; entry {place} has no name or no key.")
            if len(key) < SHORTEST_KEY:
                raise SetupError(
                    f"{_FORM}; the key of entry {place} has under {SHORTEST_KEY} characters. "
                    "`openssl rand -hex 24` makes a good one."
                )
            if not is_name(name):
                raise SetupError(
                    f"{_FORM}; the name of entry {place} is over {LONGEST_NAME} characters or "
                    "cannot be printed."
                )
            scopes = frozenset({ADMIN}) if name in admins else frozenset[str]()
            known = self._users.setdefault(hash_of(key), principal_named(name, scopes))
            if known.name != name:
                raise SetupError(f"{_FORM}; {known.name!r} and {name!r} have the same key.")
        unknown = set(admins) - {user.name for user in self._users.values()}
        if unknown:
            raise SetupError(
                f"CALLSHEET_AUTH__ADMINS names {', '.join(map(repr, sorted(unknown)))}, who has no "
                "key in CALLSHEET_AUTH__API_KEYS."
            )

    def __len__(self) -> int:
        return len(self._users)

    async def find(self, token: str) -> Principal | None:
        """The user whose key it is."""
        asked = hash_of(token)
        found: Principal | None = None
        for known, user in self._users.items():  # all of them: the time tells nothing
            if hmac.compare_digest(known, asked):
                found = user
        return found
