"""What the README promises, done as it says."""

from __future__ import annotations

import asyncio
import re
import subprocess
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from callsheet.cli.configuration import configuration_of
from callsheet.cli.deployment import Deployment as CliDeployment
from callsheet.settings.folders import folders_of
from tests.docs.pages import blocks, links, prose, text_of
from tests.fakes.agui_client import AgUiClient
from tests.fakes.deployment import Deployment
from tests.plugins.needs import WEB, node

READMES = ("README.md", "README.zh-CN.md")
_TARGET = re.compile(r"# (config/\w+\.yaml)")


@pytest.mark.needs("node")
@pytest.mark.parametrize("readme", READMES)
async def test_the_first_client_shows_stages_answer_and_cost(
    readme: str, agui: AgUiClient, tmp_path: Path
) -> None:
    [client] = blocks(text_of(readme), "ts")
    assert len([line for line in client.splitlines() if line.strip()]) <= 10
    (tmp_path / "node_modules").symlink_to(WEB / "agui-1.0" / "node_modules")
    script = tmp_path / "client.mjs"
    script.write_text(client.replace("http://127.0.0.1:8000", str(agui.http.base_url).rstrip("/")))
    command = [str(node()), str(script)]
    done = await asyncio.to_thread(
        subprocess.run, command, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    said = done.stdout.splitlines()
    assert [line for line in said if line.startswith("stage")] == [
        "stage intent",
        "stage execution",
        "stage organization",
    ]
    answer = "".join(line.removeprefix("answer ") for line in said if line.startswith("answer"))
    assert answer == "Here is your answer."
    assert "inputTokens" in done.stdout
    assert "currency: 'USD'" in done.stdout


@pytest.mark.parametrize("readme", READMES)
def test_an_endpoint_of_ones_own_takes_the_lines_that_are_shown(
    readme: str, deployment: Deployment, database_url: str
) -> None:
    shown = blocks(text_of(readme), "yaml")
    targets = [_TARGET.match(block) for block in shown]
    assert len(shown) == 3
    for target, block in zip(targets, shown, strict=True):
        assert target is not None
        path = deployment.folder / target[1]
        path.write_text(_joined(path.read_text("utf-8"), block), "utf-8")
    deployment.edit("crews/chat/agents.yaml", "deepseek-v3.2", "llama3.2")
    settings = deployment.settings(database_url)
    found = configuration_of(CliDeployment(settings, folders_of(settings)))
    assert found.problems == ()


def _joined(text: str, more: str) -> str:
    """The file with the shown entries added to its lists and mappings."""
    yaml = YAML(typ="safe")
    base: dict[str, Any] = yaml.load(text)
    for key, value in yaml.load(more).items():
        if isinstance(value, list):
            base[key] = [*base[key], *value]
        else:
            base[key] = {**base[key], **value}
    stream = StringIO()
    YAML(typ="safe").dump(base, stream)
    return stream.getvalue()


def test_both_readmes_have_the_same_outline_and_the_same_code() -> None:
    english, chinese = (_shape(text_of(name)) for name in READMES)
    assert english == chinese


def _shape(text: str) -> list[str]:
    """Levels of headings, code without its comments, and links, in order."""
    code = [
        re.sub(r" *#.*", "", block) if language != "console" else block
        for language in ("sh", "ts", "yaml", "console")
        for block in blocks(text, language)
    ]
    levels = re.findall(r"^(#+) ", prose(text), re.MULTILINE)
    there = [link for link in links(text) if not link.startswith("README")]
    return [*levels, *code, *there]
