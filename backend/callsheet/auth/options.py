"""Which tokens of an identity provider are taken."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class TokenOptions:
    """`issuer` and `audience` must be in each token.

    HS256 is taken where there is a `secret`; `jwks_algorithms` with the keys of `jwks_url`. A
    token is an admin's where `admin_claim` (dots lead into what is nested) is or holds
    `admin_value`; None: no token is. `leeway_s`: by how much clocks may differ.
    """

    issuer: str
    audience: str
    secret: str | None = field(default=None, repr=False)
    jwks_url: str | None = None
    jwks_algorithms: frozenset[str] = frozenset({"RS256", "ES256"})
    leeway_s: float = 30.0
    admin_claim: str | None = None
    admin_value: str = "admin"
