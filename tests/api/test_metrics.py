"""Who may read the metrics."""

from __future__ import annotations

from dataclasses import replace

import httpx
import pytest

from callsheet.api.ports import Identities
from callsheet.auth.local import LocalUser
from callsheet.main import create_app
from tests.api.fake import ALICE, OPTIONS, World


async def read(
    headers: dict[str, str], identities: Identities | None = None, *, is_open: bool = False
) -> httpx.Response:
    services = World().services()
    if identities is not None:
        services = replace(services, identities=identities)
    app = create_app(services, replace(OPTIONS, open_metrics=is_open))
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(app), base_url="http://callsheet.example"
    ) as client:
        return await client.get("/metrics", headers=headers)


@pytest.mark.parametrize(("headers", "status"), [({}, 401), (ALICE, 403)])
async def test_it_needs_an_admin(headers: dict[str, str], status: int) -> None:
    answer = await read(headers)

    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    assert "callsheet_llm" not in answer.text


async def test_the_local_user_is_one() -> None:
    answer = await read({}, LocalUser())

    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert answer.text == "callsheet_llm_calls_total 7\n"


async def test_the_operator_may_open_it() -> None:
    assert (await read({}, is_open=True)).status_code == 200
