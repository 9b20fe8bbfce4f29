"""`callsheet sandbox`: the image, and programs in it."""

from __future__ import annotations

import pytest

from tests.cli.conftest import Callsheet

NOWHERE = "unix:///nowhere/docker.sock"


@pytest.mark.needs("docker")
def test_an_image_that_is_there_is_said(callsheet: Callsheet) -> None:
    ran = callsheet("sandbox", "build")

    assert ran.status == 0, ran.err
    assert ran.out.startswith("callsheet-sandbox:")
    assert "It is there already" in ran.err


def test_without_an_engine_it_says_so(
    callsheet: Callsheet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CALLSHEET_SANDBOX__DOCKER_HOST", NOWHERE)

    ran = callsheet("sandbox", "build")

    assert ran.status == 2
    assert ran.err.strip() == "No Docker engine: there is no socket /nowhere/docker.sock."


def test_a_way_that_is_none_is_refused(callsheet: Callsheet) -> None:
    ran = callsheet("sandbox", "build", "--way", "magic")

    assert ran.status == 2
    assert "auto, dockerfile, packages" in ran.err
