"""Who may call: keys, the local user, and when a server without keys may start."""

from __future__ import annotations

import pytest

from callsheet.auth.api_keys import ApiKeys
from callsheet.auth.bearer import Bearer
from callsheet.auth.exposure import check_exposure, is_loopback, own_hosts
from callsheet.auth.local import LocalUser
from callsheet.auth.principal import principal_named
from callsheet.kit.errors import SetupError, Unauthorized


async def test_a_key_names_its_user_and_the_scheme_may_be_written_in_any_case() -> None:
    keys = ApiKeys(["alice:sk-one-1", "bob: sk-two-2", "alice:sk-three:with-colon"])
    callers = Bearer([keys])
    assert await callers.authenticate("Bearer sk-one-1") == principal_named("alice")
    assert await callers.authenticate("bearer  sk-two-2 ") == principal_named("bob")
    assert await callers.authenticate("Bearer sk-three:with-colon") == principal_named("alice")
    assert len(keys) == 3


@pytest.mark.parametrize(
    "header",
    [None, "", "Bearer", "Bearer ", "Basic sk-one-1", "sk-one-1", "Bearer sk-on", "Bearer \ud800"],
)
async def test_anything_else_is_refused(header: str | None) -> None:
    with pytest.raises(Unauthorized):
        await Bearer([ApiKeys(["alice:sk-one-1"])]).authenticate(header)


@pytest.mark.parametrize(
    "entries",
    [
        ["alice"],
        ["alice:"],
        [":key"],
        [" : "],
        ["alice:same-key", "bob:same-key"],
        ["alice:seven77"],
        ["x" * 101 + ":a-long-key"],
    ],
)
def test_a_key_that_cannot_work_stops_the_start_without_showing_the_key(
    entries: list[str],
) -> None:
    with pytest.raises(SetupError, match="CALLSHEET_AUTH__API_KEYS") as caught:
        ApiKeys(entries)
    assert not any(key in str(caught.value) for key in ("same-key", "seven77", "a-long-key"))


async def test_the_keys_of_named_admins_have_the_scope() -> None:
    keys = ApiKeys(["alice:sk-one-1", "alice:sk-two-2", "bob:sk-bob-3"], ["alice"])
    admin = principal_named("alice", frozenset({"admin"}))
    assert await keys.find("sk-one-1") == await keys.find("sk-two-2") == admin
    assert await keys.find("sk-bob-3") == principal_named("bob")


def test_an_admin_without_a_key_stops_the_start() -> None:
    with pytest.raises(SetupError, match=r"CALLSHEET_AUTH__ADMINS names 'alcie'"):
        ApiKeys(["alice:sk-one-1"], ["alcie", "alice"])


async def test_sources_are_asked_in_order_and_all_say_the_same_of_what_they_do_not_know() -> None:
    first, second = ApiKeys(["ann:the-same-key"]), ApiKeys(["bob:the-same-key", "bob:another-key"])
    callers = Bearer([first, second])
    assert await callers.authenticate("Bearer the-same-key") == principal_named("ann")
    assert await callers.authenticate("Bearer another-key") == principal_named("bob")
    said = set()
    for header in (None, "Basic x", "Bearer nobody-s-key", "Bearer csk_x", "Bearer a.b.c"):
        with pytest.raises(Unauthorized) as caught:
            await callers.authenticate(header)
        said.add(str(caught.value))
    assert len(said) == 1
    assert "Authorization: Bearer" in said.pop()


def test_keys_are_not_kept() -> None:
    keys = ApiKeys(["alice:sk-one-1"])
    assert "sk-one-1" not in repr(vars(keys))


async def test_the_local_user_is_always_the_same() -> None:
    local = LocalUser()
    assert await local.authenticate(None) == await local.authenticate("Bearer x")
    assert (await local.authenticate(None)).name == "local"


@pytest.mark.parametrize(
    ("host", "loopback"),
    [
        ("127.0.0.1", True), ("127.8.8.8", True), ("localhost", True), ("::1", True),
        ("[::1]", True), ("0.0.0.0", False), ("::", False), ("192.168.1.4", False),
        ("localhost.example.com", False), ("", False),
    ],
)  # fmt: skip
def test_only_loopback_starts_without_a_key(host: str, loopback: bool) -> None:
    assert is_loopback(host) is loopback
    check_exposure(host, lets_somebody_in=True)
    if loopback:
        check_exposure(host, lets_somebody_in=False)
        return
    with pytest.raises(SetupError, match=r"CALLSHEET_AUTH__API_KEYS.*callsheet keys create"):
        check_exposure(host, lets_somebody_in=False)


def test_a_local_server_has_the_usual_names_and_its_address() -> None:
    assert own_hosts("127.0.0.1") == {"localhost", "127.0.0.1", "::1"}
    assert own_hosts("127.0.0.9") == {"localhost", "127.0.0.1", "::1", "127.0.0.9"}
