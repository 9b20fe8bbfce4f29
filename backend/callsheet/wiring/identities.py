"""Chooses how callers show who they are."""

from __future__ import annotations

from callsheet.auth.api_keys import ApiKeys
from callsheet.auth.bearer import Bearer, Source
from callsheet.auth.jwks_cache import JwksCache
from callsheet.auth.jwks_http import JwksEndpoint
from callsheet.auth.local import LocalUser
from callsheet.auth.options import TokenOptions
from callsheet.auth.stored_keys import StoredKeys
from callsheet.auth.tokens import Tokens
from callsheet.kit.clock import Clock
from callsheet.settings.auth import JwtSettings
from callsheet.settings.settings import Settings


def make_identities(
    settings: Settings, stored_keys: StoredKeys, clock: Clock
) -> Bearer | LocalUser:
    """Keys of the environment, then made keys, then tokens; or the local user, who needs none.

    Raises SetupError where the keys of the environment, or the names of admins, are malformed.
    """
    auth = settings.auth
    keys = ApiKeys((key.get_secret_value() for key in auth.api_keys), auth.admins)
    if settings.takes_local_user:
        return LocalUser(stored_keys)
    sources: list[Source] = [keys, stored_keys]
    options = _token_options(auth.jwt)
    if options is not None:
        sources.append(_tokens(options, clock))
    return Bearer(sources)


def _tokens(options: TokenOptions, clock: Clock) -> Tokens:
    if options.jwks_url is None:
        return Tokens(options, clock)
    endpoint = JwksEndpoint(options.jwks_url, options.jwks_algorithms)
    return Tokens(options, clock, JwksCache(endpoint.fetch, clock))


def _token_options(jwt: JwtSettings) -> TokenOptions | None:
    """None where no token is taken."""
    if jwt.issuer is None or jwt.audience is None or not jwt.is_set:
        return None
    return TokenOptions(
        issuer=jwt.issuer,
        audience=jwt.audience,
        secret=None if jwt.secret is None else jwt.secret.get_secret_value(),
        jwks_url=jwt.jwks_url,
        jwks_algorithms=frozenset(jwt.algorithms),
        leeway_s=jwt.leeway_s,
        admin_claim=jwt.admin_claim,
        admin_value=jwt.admin_value,
    )
