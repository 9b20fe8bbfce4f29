"""What the engine is asked for: every limit, and nothing of this machine."""

from __future__ import annotations

import json
from dataclasses import replace

from callsheet.tools.sandbox.container import container
from callsheet.tools.sandbox.options import Limits, SandboxOptions
from callsheet.tools.sandbox.source import runner_command

OPTIONS = SandboxOptions()


def test_every_limit_is_asked_for() -> None:
    asked = container(OPTIONS, "image:1", "me", ["numpy"], None)
    host = asked.pop("host_config")

    assert host == {
        "auto_remove": True,
        "network_mode": "none",
        "read_only": True,
        "cap_drop": ["ALL"],
        "security_opt": ["no-new-privileges"],
        "mem_limit": 256 << 20,
        "memswap_limit": 256 << 20,
        "cpu_period": 100_000,
        "cpu_quota": 50_000,
        "pids_limit": 64,
        "ulimits": [
            {"Name": "nofile", "Soft": 1024, "Hard": 1024},
            {"Name": "core", "Soft": 0, "Hard": 0},
        ],
        "tmpfs": {
            "/workspace": "size=64m,nr_inodes=2048,uid=1000,gid=1000,mode=0700,noexec",
            "/tmp": "size=32m,uid=1000,gid=1000,mode=1777",
        },
        "shm_size": 16 << 20,
        "log_config": {"type": "none", "config": {}},
        "ipc_mode": "private",
        "init": False,
    }
    assert asked["user"] == "1000:1000"
    assert asked["network_disabled"] is True
    assert asked["labels"] == {"callsheet.sandbox": "1", "callsheet.owner": "me"}
    assert asked["image"] == "image:1"
    assert not {"volumes", "binds", "mounts", "devices", "privileged"} & {*asked, *host}


def test_the_limits_are_those_of_the_options() -> None:
    options = replace(OPTIONS, limits=Limits(cpus=2, memory_mib=64, pids=9), runtime="runsc")
    host = container(options, "image:1", "me", [], None)["host_config"]

    assert (host["cpu_quota"], host["mem_limit"], host["pids_limit"]) == (200_000, 64 << 20, 9)
    assert host["runtime"] == "runsc"


def test_a_network_is_there_only_where_packages_are_installed() -> None:
    asked = container(OPTIONS, "image:1", "me", [], "bridge")

    assert asked["host_config"]["network_mode"] == "bridge"
    assert asked["network_disabled"] is False
    assert asked["host_config"]["tmpfs"]["/workspace"].endswith(",exec")
    assert asked["environment"]["TMPDIR"] == "/workspace/.tmp"


def test_the_runner_travels_in_the_command() -> None:
    python, isolated, flag, boot, preload, *texts = runner_command(["numpy", "pandas"])

    assert (python, isolated, flag) == ("python3", "-I", "-c")
    assert json.loads(preload) == ["numpy", "pandas"]
    names, sources = texts[::2], texts[1::2]
    assert names[-1] == "callsheet.tools.sandbox.inside.runner"
    for number, source in enumerate(sources):
        compile(source, names[number], "exec")
        wanted = [line.split()[1] for line in source.splitlines() if line.startswith("from calls")]
        assert set(wanted) <= set(names[:number]), names[number]
    assert sum(map(len, (boot, *texts))) < 100_000  # an argument of a command has a limit
