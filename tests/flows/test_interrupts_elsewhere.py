"""A question of one process is answered in another one."""

from __future__ import annotations

import asyncio

from tests.fakes.deployment import Deployment
from tests.fakes.provider.server import FakeProvider
from tests.fakes.two_apps import two_apps
from tests.flows.waiting import MAIL, answer, interrupts, resolved, waits


async def test_any_process_goes_on_and_both_show_the_one_run(
    deployment: Deployment, database_url: str, provider: FakeProvider
) -> None:
    async with two_apps(deployment.settings(database_url)) as (here, there):
        for _ in range(3):
            turn = await waits(here, provider, ("send_mail", MAIL))
            [asked] = interrupts(turn)
            listed = (await there.http.get("/v1/interrupts")).json()["items"]
            assert [each["id"] for each in listed] == [asked["id"]]
            given = resolved(asked, {"approved": True})
            both = await asyncio.gather(
                answer(there, turn, given), answer(here, turn, given), answer(there, turn, given)
            )
            assert {each.text for each in both} == {"The work is done."}
            assert len({each.headers["x-run-id"] for each in both}) == 1
            assert [each.breaches for each in both] == [[], [], []]
        stopped = await waits(here, provider)
        run_id = stopped.headers["x-run-id"]
        assert (await there.http.post(f"/v1/runs/{run_id}/cancel")).json()["status"] == "cancelled"
        late = await answer(here, stopped, resolved(interrupts(stopped)[0], {"answers": ["red"]}))
        assert (late.status, late.problem["code"]) == (409, "interrupt_closed")
