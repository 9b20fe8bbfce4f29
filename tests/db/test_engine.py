from __future__ import annotations

import pytest

from callsheet.db.engine import async_url, plain_url
from callsheet.kit.errors import SetupError


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("postgresql://a:b@h:1/d", "postgresql+asyncpg://a:b@h:1/d"),
        ("postgres://a@h/d", "postgresql+asyncpg://a@h/d"),
        ("postgresql+asyncpg://a@h/d", "postgresql+asyncpg://a@h/d"),
        ("postgresql://a@/d?host=/run/pg", "postgresql+asyncpg://a@/d?host=%2Frun%2Fpg"),
        ("postgresql://a@h/d?sslmode=require", "postgresql+asyncpg://a@h/d?ssl=require"),
    ],
)
def test_the_usual_forms_of_an_address_are_taken(given: str, expected: str) -> None:
    assert async_url(given).render_as_string(hide_password=False) == expected


def test_an_address_goes_back_to_what_psql_reads() -> None:
    url = async_url("postgres://a:p%40ss@h/d?sslmode=require")
    assert plain_url(url) == "postgresql://a:p%40ss@h/d?sslmode=require"
    assert plain_url("postgresql+asyncpg://a@h/d") == "postgresql://a@h/d"


@pytest.mark.parametrize("wrong", ["mysql://a@h/d", "sqlite:///x.db", "psycopg://a@h/d"])
def test_another_database_is_refused(wrong: str) -> None:
    with pytest.raises(SetupError, match="only PostgreSQL 15 or newer"):
        async_url(wrong)


def test_what_is_no_address_is_refused_without_being_repeated() -> None:
    with pytest.raises(SetupError, match="is not an address") as caught:
        async_url("my secret password")
    assert "secret" not in str(caught.value)


def test_what_stands_where_a_port_should_is_refused_without_being_repeated() -> None:
    with pytest.raises(SetupError, match="%XX") as caught:
        async_url("postgresql://u:pw@h:secret/d")
    assert "secret" not in repr((caught.value, caught.value.__cause__))


def test_a_password_in_the_query_is_kept_back_like_any_other() -> None:
    url = async_url("postgresql://a@h/d?password=topsecret")
    assert "topsecret" not in url.render_as_string(hide_password=True)
    assert plain_url(url) == "postgresql://a:topsecret@h/d"
