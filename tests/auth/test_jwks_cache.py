"""When a provider is asked for its keys, and what happens while it is away."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from callsheet.auth.jwks import NoKeySetError
from callsheet.auth.jwks_cache import AGAIN_S, FRESH_S, JwksCache
from callsheet.auth.jwks_http import JwksEndpoint
from callsheet.kit.errors import Unavailable
from tests.fakes.byte_server import Hang, Reset, Step, status
from tests.fakes.clock import HandClock
from tests.fakes.identity_provider import (
    IdentityProvider,
    ec_key,
    identity_provider,
    key_set,
    published,
    rsa_key,
)

GOOD = key_set(published(rsa_key("rsa-1"), "rsa-1"))
BOTH = frozenset({"RS256", "ES256"})


@pytest.fixture
async def provider() -> AsyncIterator[IdentityProvider]:
    async with identity_provider() as found:
        yield found


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def cache(provider: IdentityProvider, clock: HandClock) -> JwksCache:
    return JwksCache(JwksEndpoint(provider.url, BOTH).fetch, clock)


async def test_the_provider_is_asked_when_the_first_token_comes_and_then_not_again(
    cache: JwksCache, provider: IdentityProvider, clock: HandClock
) -> None:
    assert provider.asked == 0
    for _ in range(3):
        assert await cache.find("rsa-1", "RS256") is not None
        assert await cache.find("ec-1", "ES256") is not None
        clock.forward(AGAIN_S)
    assert provider.asked == 1


async def test_many_first_tokens_ask_once(cache: JwksCache, provider: IdentityProvider) -> None:
    async with asyncio.TaskGroup() as group:
        asked = [group.create_task(cache.find("rsa-1", "RS256")) for _ in range(20)]
    assert all(task.result() is not None for task in asked)
    assert provider.asked == 1


async def test_an_unknown_key_makes_it_ask_again_but_not_at_once(
    cache: JwksCache, provider: IdentityProvider, clock: HandClock
) -> None:
    assert await cache.find("rsa-1", "RS256") is not None
    provider.publish(**{"rsa-1": rsa_key("rsa-1"), "rsa-2": rsa_key("rsa-2")})
    for _ in range(5):
        assert await cache.find("rsa-2", "RS256") is None
    assert provider.asked == 1

    clock.forward(AGAIN_S)
    assert await cache.find("rsa-2", "RS256") is not None
    assert await cache.find("made-up", "RS256") is None
    assert provider.asked == 2


async def test_a_key_that_was_withdrawn_is_taken_no_more_once_the_keys_are_old(
    cache: JwksCache, provider: IdentityProvider, clock: HandClock
) -> None:
    assert await cache.find("rsa-1", "RS256") is not None
    provider.publish(**{"rsa-2": rsa_key("rsa-2")})
    clock.forward(FRESH_S - 1)
    assert await cache.find("rsa-1", "RS256") is not None
    clock.forward(1)
    assert await cache.find("rsa-1", "RS256") is None
    assert provider.asked == 2


async def test_the_last_keys_are_good_while_the_provider_is_away(
    cache: JwksCache, provider: IdentityProvider, clock: HandClock
) -> None:
    assert await cache.find("rsa-1", "RS256") is not None
    provider.go_away()
    clock.forward(FRESH_S)
    for _ in range(3):
        assert await cache.find("rsa-1", "RS256") is not None
    assert provider.asked == 2
    with pytest.raises(Unavailable):
        await cache.find("rsa-2", "RS256")

    provider.publish(**{"rsa-2": rsa_key("rsa-2")})
    clock.forward(AGAIN_S)
    assert await cache.find("rsa-2", "RS256") is not None
    assert await cache.find("rsa-1", "RS256") is None


async def test_without_any_keys_it_is_told_that_the_provider_is_away(
    cache: JwksCache, provider: IdentityProvider, clock: HandClock
) -> None:
    provider.go_away()
    for _ in range(3):
        with pytest.raises(Unavailable) as caught:
            await cache.find("rsa-1", "RS256")
        assert caught.value.extra == {"service": "identity", "retry_after_s": AGAIN_S}
    assert provider.asked == 1

    provider.publish(**{"rsa-1": rsa_key("rsa-1")})
    clock.forward(AGAIN_S)
    assert await cache.find("rsa-1", "RS256") is not None


async def test_a_caller_that_leaves_while_the_provider_is_asked_does_not_lock_others_out(
    cache: JwksCache, provider: IdentityProvider, clock: HandClock
) -> None:
    good = provider.http.steps
    provider.http.steps = (Hang(),)
    async with asyncio.TaskGroup() as group:
        leaving = group.create_task(cache.find("rsa-1", "RS256"))
        await provider.http.hanging.wait()
        leaving.cancel()
    provider.http.steps = good
    with pytest.raises(Unavailable):
        await cache.find("rsa-1", "RS256")
    clock.forward(AGAIN_S)
    assert await cache.find("rsa-1", "RS256") is not None


async def test_known_keys_are_taken_while_somebody_waits_for_newer_ones(
    cache: JwksCache, provider: IdentityProvider, clock: HandClock
) -> None:
    assert await cache.find("rsa-1", "RS256") is not None
    provider.http.steps = (Hang(),)
    clock.forward(FRESH_S)
    async with asyncio.TaskGroup() as group:
        waiting = group.create_task(cache.find("rsa-1", "RS256"))
        await provider.http.hanging.wait()
        assert await cache.find("rsa-1", "RS256") is not None
        assert not waiting.done()
        waiting.cancel()


@pytest.mark.parametrize(
    "steps",
    [
        (status(404, GOOD),),
        (status(200, "<html>"),),
        (status(200, GOOD[:-1] + ', "padding": "' + "x" * 300_000 + '"}'),),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{",),
        (b"what?\r\n\r\n",),
        (Reset(),),
        (Hang(),),
    ],
    ids=["404", "page", "large", "cut", "no http", "reset", "silent"],
)
async def test_whatever_else_comes_is_no_key_set(
    provider: IdentityProvider, steps: tuple[Step, ...]
) -> None:
    provider.http.steps = steps
    within_s = 0.05 if steps == (Hang(),) else 5.0
    with pytest.raises(NoKeySetError):
        await JwksEndpoint(provider.url, BOTH, within_s=within_s).fetch()


async def test_another_address_that_it_names_is_not_followed(provider: IdentityProvider) -> None:
    async with identity_provider() as elsewhere:
        provider.http.steps = (status(302, "", f"Location: {elsewhere.url}"),)
        with pytest.raises(NoKeySetError, match="302"):
            await JwksEndpoint(provider.url, BOTH).fetch()
        assert elsewhere.asked == 0


async def test_an_address_where_nobody_listens_is_told() -> None:
    with pytest.raises(NoKeySetError, match="cannot be reached"):
        await JwksEndpoint("http://127.0.0.1:1/jwks", BOTH).fetch()


async def test_a_key_set_may_come_in_pieces(provider: IdentityProvider) -> None:
    whole = status(200, key_set(published(ec_key("ec-1"), "ec-1")))
    provider.http.steps = tuple(whole[at : at + 50] for at in range(0, len(whole), 50))
    found = await JwksEndpoint(provider.url, BOTH).fetch()
    assert found.find("ec-1", "ES256") is not None
