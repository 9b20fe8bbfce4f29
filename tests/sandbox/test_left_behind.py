"""What a killed process leaves on the engine is removed by the next one; nothing else is."""

from __future__ import annotations

import os
import subprocess
import sys
import uuid
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from callsheet.tools.sandbox.image.client import engine_client
from callsheet.tools.sandbox.image.recipe import load_recipe
from callsheet.tools.sandbox.left_behind import remove_left_behind
from callsheet.tools.sandbox.owner import is_gone, this_owner

if TYPE_CHECKING:
    from docker import APIClient

ASK = "from callsheet.tools.sandbox.owner import this_owner; print(this_owner())"


@pytest.fixture(scope="module")
def ended() -> str:
    """The owner that a process was which has ended."""
    asked = subprocess.run([sys.executable, "-c", ASK], capture_output=True, text=True, check=True)
    return asked.stdout.strip()


def test_an_owner_is_gone_once_its_process_has_ended(ended: str) -> None:
    place, pid, start = this_owner().split("/")

    assert pid == str(os.getpid())
    assert ended.startswith(f"{place}/")
    assert is_gone(ended)
    assert not is_gone(this_owner())
    assert is_gone(f"{place}/{pid}/{int(start) - 1}"), "its id was given to another process"


@pytest.mark.parametrize("owner", ["another-machine:1/1/1", "", "nonsense", "/x/y"])
def test_an_owner_that_cannot_be_seen_is_taken_to_be_alive(owner: str) -> None:
    assert not is_gone(owner)


def test_a_zombie_is_gone() -> None:
    with subprocess.Popen([sys.executable, "-c", ASK], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        owner = child.stdout.read().strip()
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)

        assert is_gone(owner)


@pytest.fixture
def client() -> Iterator[APIClient]:
    with engine_client(None) as opened:
        yield opened


@pytest.mark.needs("docker")
def test_only_what_has_lost_its_process_is_removed(client: APIClient, ended: str) -> None:
    label = f"callsheet.test.{uuid.uuid4().hex[:8]}"
    image = load_recipe().image
    owners = {"lost": ended, "ours": this_owner(), "elsewhere": "another-machine:1/1/1"}
    made = {
        name: client.create_container(
            image, ["sleep", "60"], labels={label: owner}, network_disabled=True
        )["Id"]
        for name, owner in owners.items()
    }
    client.start(made["lost"])

    try:
        assert remove_left_behind(client, label) == 1
        left = {each["Id"] for each in client.containers(all=True, filters={"label": label})}
        assert left == {made["ours"], made["elsewhere"]}
        assert remove_left_behind(client, label) == 0
    finally:
        for container in left:
            client.remove_container(container, force=True, v=True)
