"""Who may call: keys from the environment, and tokens of an identity provider."""

from __future__ import annotations

from typing import Annotated, Final, Literal, Self
from urllib.parse import urlsplit

from pydantic import BaseModel, Field, SecretStr, field_validator, model_validator
from pydantic_settings import NoDecode

from callsheet.auth.exposure import is_loopback
from callsheet.settings.record import FROZEN, split

_SHORTEST_SECRET_BYTES: Final = 32  # as long as the hash, RFC 7518


class JwtSettings(BaseModel):
    """Tokens (JWT) of an identity provider."""

    model_config = FROZEN

    secret: SecretStr | None = Field(
        default=None,
        description="Secret that tokens are signed with by HS256, at least 32 bytes. Such tokens "
        "are taken only where it is set.",
    )
    jwks_url: str | None = Field(
        default=None,
        description="Address of the provider's public keys (JWKS), https, for tokens that are "
        "signed by RS256 or ES256. Such tokens are taken only where it is set.",
    )
    algorithms: Annotated[tuple[Literal["RS256", "ES256"], ...], NoDecode] = Field(
        default=("RS256", "ES256"),
        min_length=1,
        description="Algorithms, comma-separated, that are taken with the keys of the JWKS.",
    )
    issuer: str | None = Field(
        default=None,
        min_length=1,
        description="What a token's `iss` must be, to the letter. Needed with a secret or a JWKS.",
    )
    audience: str | None = Field(
        default=None,
        min_length=1,
        description="What a token's `aud` must be or hold. Needed with a secret or a JWKS.",
    )
    leeway_s: float = Field(
        default=30.0,
        ge=0,
        le=300,
        description="Seconds by which the provider's clock and ours may differ.",
    )
    admin_claim: str | None = Field(
        default=None,
        min_length=1,
        description="Claim that makes a caller an admin, with dots for what is nested, such as "
        "app_metadata.role. Unset: no token does.",
    )
    admin_value: str = Field(
        default="admin",
        min_length=1,
        description="What that claim must be, or hold where it is a list.",
    )

    _split_algorithms = field_validator("algorithms", mode="before")(split)

    @property
    def is_set(self) -> bool:
        """Whether any token is taken."""
        return self.secret is not None or self.jwks_url is not None

    @field_validator("secret")
    @classmethod
    def _check_secret(cls, secret: SecretStr | None) -> SecretStr | None:
        value = secret.get_secret_value() if secret else ""
        if secret and len(value.encode()) < _SHORTEST_SECRET_BYTES:
            raise ValueError(f"it has under {_SHORTEST_SECRET_BYTES} bytes")
        if "-----BEGIN" in value:
            raise ValueError("it is a key of another kind; HS256 takes a shared secret")
        return secret

    @field_validator("jwks_url")
    @classmethod
    def _check_url(cls, url: str | None) -> str | None:
        """Keys that came over an open line could be anybody's."""
        if url is None:
            return None
        parts = urlsplit(url)
        safe = parts.scheme == "https" or (
            parts.scheme == "http" and is_loopback(parts.hostname or "")
        )
        if not safe or not parts.hostname or parts.username is not None:
            raise ValueError(
                "it must be an https address (http on this machine only) without a password in it"
            )
        return url

    @field_validator("admin_claim")
    @classmethod
    def _check_claim(cls, claim: str | None) -> str | None:
        if claim is not None and claim.partition(".")[0] == "user_metadata":
            raise ValueError("users write their user_metadata themselves: take another claim")
        return claim

    @model_validator(mode="after")
    def _check_whole(self) -> Self:
        if self.is_set and (self.issuer is None or self.audience is None):
            raise ValueError("a secret or a JWKS needs ISSUER and AUDIENCE beside it")
        if not self.is_set and (self.issuer or self.audience or self.admin_claim):
            raise ValueError("no token can be checked without SECRET or JWKS_URL")
        return self


class AuthSettings(BaseModel):
    """Who may call."""

    model_config = FROZEN

    api_keys: Annotated[tuple[SecretStr, ...], NoDecode] = Field(
        default=(),
        description="Keys that callers send as a bearer token, comma-separated, each name:key; "
        "the name is the user. More keys are made with `callsheet keys`.",
    )
    admins: Annotated[tuple[str, ...], NoDecode] = Field(
        default=(),
        description="Names of CALLSHEET_AUTH__API_KEYS, comma-separated, whose keys have the "
        "scope admin.",
    )
    local_user: bool = Field(
        default=True,
        description="Whether a server on loopback that has neither API_KEYS nor JWT settings takes "
        "everybody for one local user, who is an admin. Set it to false behind a proxy.",
    )
    jwt: JwtSettings = JwtSettings()

    _split_keys = field_validator("api_keys", "admins", mode="before")(split)

    @property
    def asks(self) -> bool:
        """Whether these settings alone say who is let in; stored keys are in the database."""
        return bool(self.api_keys) or self.jwt.is_set
