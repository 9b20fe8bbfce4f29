"""`/v1/usage/quota`: everybody reads their own, admins write."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import httpx
import pytest

from callsheet.agui.show import ShowOptions
from callsheet.api.ports import ApiOptions
from callsheet.auth.api_keys import ApiKeys
from callsheet.auth.bearer import Bearer
from callsheet.main import create_app
from tests.api.fake import ALICE, OPTIONS, World
from tests.api.fake_quotas import FakeQuotas

ADMIN = {"Authorization": "Bearer sk-of-the-boss"}
NONE = {"cost": None, "tokens": None, "calls": None}
PATH = "/v1/usage/quota"


class Caller:
    """Both kinds of callers of one application."""

    def __init__(self, world: World, options: ApiOptions = OPTIONS) -> None:
        keys = ["alice:sk-alice", "boss:sk-of-the-boss"]
        services = replace(world.services(), identities=Bearer([ApiKeys(keys, admins=["boss"])]))
        self._transport = httpx.ASGITransport(create_app(services, options))

    async def ask(
        self, method: str, path: str, headers: dict[str, str], body: Any = None
    ) -> httpx.Response:
        async with httpx.AsyncClient(
            transport=self._transport, base_url="http://callsheet.example"
        ) as http:
            return await http.request(method, path, headers=headers, json=body)


@pytest.fixture
def quotas(world: World) -> FakeQuotas:
    found = FakeQuotas()
    world.quotas = found
    return found


async def test_a_user_reads_the_limits_that_hold(client: httpx.AsyncClient) -> None:
    answer = await client.get(PATH)
    assert answer.status_code == 200
    assert answer.json() == {
        "user": "alice",
        "zone": "UTC",
        "limits": {
            "run": NONE,
            "session": NONE,
            "userDay": {"cost": "2.5", "tokens": None, "calls": 100},
            "userMonth": NONE,
        },
        "own": {},
        "currency": "USD",
    }


async def test_an_admin_sets_what_differs_for_a_user(world: World, quotas: FakeQuotas) -> None:
    body = {"userDay": {"cost": "10.00000001", "calls": None}, "run": {"tokens": 5}, "session": {}}
    answer = await Caller(world).ask("PUT", f"{PATH}?user=alice", ADMIN, body)
    assert answer.status_code == 200
    assert answer.json()["limits"]["userDay"] == {
        "cost": "10.00000001", "tokens": None, "calls": None,
    }  # fmt: skip
    assert answer.json()["own"] == {
        "run": {"tokens": 5}, "userDay": {"cost": "10.00000001", "calls": None},
    }  # fmt: skip
    assert quotas.own == {
        "alice": {
            "run": {"tokens": Decimal(5)},
            "user_day": {"cost": Decimal("10.00000001"), "calls": None},
        }
    }


async def test_who_is_no_admin_sets_nothing_not_even_for_themselves(
    world: World, quotas: FakeQuotas
) -> None:
    for path in (PATH, f"{PATH}?user=alice", f"{PATH}?user=boss"):
        answer = await Caller(world).ask("PUT", path, ALICE, {"run": {"calls": None}})
        assert (answer.status_code, answer.json()["code"]) == (403, "forbidden")
    assert (await Caller(world).ask("GET", f"{PATH}?user=boss", ALICE)).status_code == 404
    assert quotas.own == {}


@pytest.mark.parametrize(
    ("query", "field"),
    [("usr=alice", "usr"), ("user=alice&user=boss", "user"), ("user=", "user")],
)
async def test_a_misspelt_parameter_sets_no_limits_of_the_caller(
    world: World, quotas: FakeQuotas, query: str, field: str
) -> None:
    for method in ("GET", "PUT"):
        answer = await Caller(world).ask(method, f"{PATH}?{query}", ADMIN, {"run": {"calls": 1}})
        assert (answer.status_code, answer.json()["field"]) == (422, field)
    assert quotas.own == {}


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"day": {}}, "day"),
        ({"deploymentDay": {"cost": "1"}}, "deploymentDay"),
        ({"run": {"money": "1"}}, "run"),
        ({"run": {"cost": 1}}, "run/cost"),
        ({"run": {"cost": "-1"}}, "run/cost"),
        ({"run": {"cost": "1e3"}}, "run/cost"),
        ({"run": {"cost": "0.000000001"}}, "run/cost"),
        ({"run": {"cost": "NaN"}}, "run/cost"),
        ({"run": {"calls": -1}}, "run/calls"),
        ({"run": {"tokens": 1.5}}, "run/tokens"),
        ({"run": {"tokens": 10**16}}, "run/tokens"),
        ([], ""),
    ],
)
async def test_a_wrong_limit_is_refused_with_its_place(
    world: World, quotas: FakeQuotas, body: Any, field: str
) -> None:
    answer = await Caller(world).ask("PUT", PATH, ADMIN, body)
    assert (answer.status_code, answer.json()["field"]) == (422, field)
    assert "regex" not in answer.json()["detail"]
    assert quotas.own == {}


async def test_money_is_told_to_admins_alone_where_clients_may_not_see_it(world: World) -> None:
    hidden = replace(OPTIONS, show=ShowOptions(costs=False))
    told = (await Caller(world, hidden).ask("GET", PATH, ALICE)).json()
    assert told["limits"]["userDay"] == {"tokens": None, "calls": 100}
    assert "currency" not in told
    told = (await Caller(world, hidden).ask("GET", PATH, ADMIN)).json()
    assert told["limits"]["userDay"]["cost"] == "2.5"
