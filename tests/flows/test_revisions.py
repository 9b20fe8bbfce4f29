"""The YAML that a run ran with can be read back afterwards."""

from __future__ import annotations

import json

import asyncpg

from callsheet.db.engine import plain_url
from tests.fakes.deployment import Deployment
from tests.fixtures.app import Serve

AGENTS = "crews/chat/agents.yaml"


async def test_each_run_names_a_revision_whose_files_are_kept(
    serve: Serve, deployment: Deployment, database_url: str
) -> None:
    texts = [(deployment.folder / AGENTS).read_text("utf-8")]
    prompt = (deployment.folder / "crews/chat/prompts/intent.md").read_text("utf-8")
    async with serve(deployment) as (agui, _):
        await agui.ask("hello")
        await agui.ask("hello again")
        deployment.edit(AGENTS, "role: Editor", "role: Proof reader")
        texts.append((deployment.folder / AGENTS).read_text("utf-8"))
        await agui.ask("hello")

    connection = await asyncpg.connect(plain_url(database_url))
    rows = await connection.fetch(
        "SELECT files FROM workflow_revisions JOIN runs USING (workflow, revision) "
        "ORDER BY runs.created_at"
    )
    count = await connection.fetchval("SELECT count(*) FROM workflow_revisions")
    await connection.close()
    files = [json.loads(row["files"]) for row in rows]
    assert [each["agents.yaml"] for each in files] == [texts[0], texts[0], texts[1]]
    assert files[0]["prompts/intent.md"] == prompt
    assert count == 2
