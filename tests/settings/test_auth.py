"""Settings that say who may call: what cannot be safe is refused at the start."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from callsheet.kit.errors import SetupError
from callsheet.settings.load import load_settings
from callsheet.settings.settings import Settings

NO_FILE = Path("/there/is/no/such/file")
SECRET = "a-shared-secret-of-forty-two-characters-00"
GOOD = {"ISSUER": "https://id.example", "AUDIENCE": "callsheet"}


def loaded(jwt: Mapping[str, str] | None = None, **more: str) -> Settings:
    environ = {f"CALLSHEET_AUTH__JWT__{name}": value for name, value in (jwt or {}).items()}
    environ |= {f"CALLSHEET_{name}": value for name, value in more.items()}
    return load_settings(environ, NO_FILE).settings


def test_tokens_are_taken_by_a_secret_or_by_published_keys() -> None:
    assert not loaded().auth.asks
    by_secret = loaded({**GOOD, "SECRET": SECRET})
    assert by_secret.auth.asks
    assert SECRET not in repr(by_secret)
    by_keys = loaded({**GOOD, "JWKS_URL": "https://id.example/keys", "ALGORITHMS": "ES256"})
    assert by_keys.auth.asks
    assert by_keys.auth.jwt.algorithms == ("ES256",)


@pytest.mark.parametrize(
    ("jwt", "said"),
    [
        ({"SECRET": SECRET}, "needs ISSUER and AUDIENCE"),
        ({"SECRET": SECRET, "ISSUER": "i"}, "needs ISSUER and AUDIENCE"),
        ({"JWKS_URL": "https://id.example/keys", "AUDIENCE": "a"}, "needs ISSUER and AUDIENCE"),
        (GOOD, "without SECRET or JWKS_URL"),
        ({"ADMIN_CLAIM": "role"}, "without SECRET or JWKS_URL"),
        ({**GOOD, "SECRET": "too-short-a-secret"}, "JWT__SECRET: it has under 32 bytes"),
        (
            {**GOOD, "SECRET": "-----BEGIN PUBLIC KEY----- too-short-a-secret"},
            "JWT__SECRET: it is a key of another kind",
        ),
        ({**GOOD, "JWKS_URL": "http://id.example/keys"}, "JWKS_URL: it must be an https address"),
        ({**GOOD, "JWKS_URL": "https://me:pw@id.example/"}, "JWKS_URL: it must be an https"),
        ({**GOOD, "JWKS_URL": "https:///keys"}, "JWKS_URL: it must be an https address"),
        ({**GOOD, "JWKS_URL": "file:///etc/passwd"}, "JWKS_URL: it must be an https address"),
        ({**GOOD, "SECRET": SECRET, "ALGORITHMS": "HS256"}, "JWT__ALGORITHMS"),
        ({**GOOD, "SECRET": SECRET, "ALGORITHMS": "none"}, "JWT__ALGORITHMS"),
        ({**GOOD, "SECRET": SECRET, "ALGORITHMS": ","}, "JWT__ALGORITHMS"),
        ({**GOOD, "SECRET": SECRET, "LEEWAY_S": "301"}, "JWT__LEEWAY_S"),
        ({**GOOD, "SECRET": SECRET, "ADMIN_CLAIM": "user_metadata.role"}, "user_metadata"),
    ],
)
def test_what_cannot_be_safe_stops_the_start(jwt: dict[str, str], said: str) -> None:
    with pytest.raises(SetupError) as caught:
        loaded(jwt)
    assert said in str(caught.value)
    assert "too-short-a-secret" not in str(caught.value)


def test_keys_may_come_unsealed_from_this_machine() -> None:
    assert loaded({**GOOD, "JWKS_URL": "http://127.0.0.1:9000/keys"}).auth.asks


@pytest.mark.parametrize(
    ("more", "local"),
    [
        ({}, True),
        ({"SERVER__HOST": "::1"}, True),
        ({"SERVER__HOST": "0.0.0.0"}, False),
        ({"AUTH__LOCAL_USER": "false"}, False),
        ({"AUTH__API_KEYS": "ann:a-long-key"}, False),
    ],
)
def test_the_local_user_is_there_on_loopback_where_nobody_else_is_known(
    more: dict[str, str], local: bool
) -> None:
    assert loaded({}, **more).takes_local_user is local


def test_tokens_end_the_local_user() -> None:
    assert not loaded({**GOOD, "SECRET": SECRET}).takes_local_user
