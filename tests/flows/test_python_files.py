"""A plot and a table that a program made: the user's to load, nobody else's."""

from __future__ import annotations

import json

import pytest

from tests.fakes.deployment import Deployment
from tests.fakes.provider.server import FakeProvider
from tests.fixtures.app import Serve
from tests.flows.test_python import ENGINE, coding, until_offered, writes

PLOT = """
import matplotlib.pyplot as plt
import pandas as pd
table = pd.DataFrame({"month": [1, 2, 3], "sold": [5, 9, 7]})
table.to_csv("sales.csv", index=False)
plt.plot(table.month, table.sold)
plt.savefig("sales.png")
"""
ANN, BOB = "ann-key-0123456789abcdef", "bob-key-0123456789abcdef"


@pytest.mark.needs("docker")
async def test_only_whose_session_it_is_loads_the_plot_and_the_table(
    deployment: Deployment, serve: Serve, provider: FakeProvider
) -> None:
    keys = {"api_keys": [f"ann:{ANN}", f"bob:{BOB}"]}
    provider.scenario = writes(PLOT)
    async with serve(coding(deployment), sandbox=ENGINE, auth=keys) as (agui, _):
        agui.http.headers["Authorization"] = f"Bearer {ANN}"
        await until_offered(agui)
        turn = await agui.ask("Plot the sales.")

        assert turn.breaches == []
        [result] = turn.of("TOOL_CALL_RESULT")
        made = {each["name"]: each for each in json.loads(result["content"])["artifacts"]}
        assert sorted(made) == ["sales.csv", "sales.png"]
        for name, begins in (("sales.csv", b"month,sold\n1,5\n"), ("sales.png", b"\x89PNG\r\n")):
            url = f"/v1/artifacts/{made[name]['id']}"
            file = await agui.http.get(url)
            assert file.status_code == 200
            assert file.content.startswith(begins)
            assert file.headers["content-type"].startswith(made[name]["media_type"])
            other = await agui.http.get(url, headers={"Authorization": f"Bearer {BOB}"})
            assert (other.status_code, other.json()["code"]) == (404, "not_found")
            nobody = await agui.http.get(url, headers={"Authorization": ""})
            assert nobody.status_code == 401
