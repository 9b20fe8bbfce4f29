"""What an engine is asked to create for a program, in the words of its SDK; pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from callsheet.tools.sandbox.inside.program import TEMPORARY
from callsheet.tools.sandbox.options import MIB, SandboxOptions
from callsheet.tools.sandbox.source import runner_command

PRODUCT_LABEL: Final = "callsheet.sandbox"
OWNER_LABEL: Final = "callsheet.owner"
USER: Final = 1000
_CPU_PERIOD_US: Final = 100_000
_DEVICES_MIB: Final = 16

ENVIRONMENT: Final[Mapping[str, str]] = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "HOME": "/workspace",
    "LC_ALL": "C.UTF-8",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONUNBUFFERED": "1",
    "MPLBACKEND": "Agg",
    "MPLCONFIGDIR": "/tmp/mpl",  # noqa: S108 - the container's
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
}
"""All that a program finds in its environment beside what the image sets."""


def container(
    options: SandboxOptions, image: str, owner: str, preload: list[str], network: str | None
) -> dict[str, Any]:
    """A container whose runner imports `preload`; `network` None: it has none, ever."""
    temporary = {} if network is None else {"TMPDIR": TEMPORARY}  # a wheel may be large
    return {
        "image": image,
        "command": runner_command(preload),
        "hostname": "sandbox",
        "user": f"{USER}:{USER}",
        "working_dir": "/workspace",
        "environment": {**ENVIRONMENT, **temporary},
        "labels": {PRODUCT_LABEL: "1", OWNER_LABEL: owner},
        "stdin_open": True,
        "network_disabled": network is None,
        "host_config": host_config(options, network),
    }


def host_config(options: SandboxOptions, network: str | None = None) -> dict[str, Any]:
    """The limits of a container, in the SDK's words.

    Installed packages bring libraries that have to be mapped as code; else no file can be run.
    """
    limits = options.limits
    runs = "noexec" if network is None else "exec"
    owned = f"uid={USER},gid={USER}"
    return {
        "auto_remove": True,
        "network_mode": network or "none",
        "read_only": True,
        "cap_drop": ["ALL"],
        "security_opt": ["no-new-privileges"],
        "mem_limit": limits.memory_mib * MIB,
        "memswap_limit": limits.memory_mib * MIB,
        "cpu_period": _CPU_PERIOD_US,
        "cpu_quota": round(limits.cpus * _CPU_PERIOD_US),
        "pids_limit": limits.pids,
        "ulimits": [
            {"Name": "nofile", "Soft": limits.open_files, "Hard": limits.open_files},
            {"Name": "core", "Soft": 0, "Hard": 0},
        ],
        "tmpfs": {
            "/workspace": f"size={limits.workspace_mib}m,nr_inodes={limits.workspace_files},"
            f"{owned},mode=0700,{runs}",
            "/tmp": f"size={limits.temporary_mib}m,{owned},mode=1777",  # noqa: S108
        },
        "shm_size": _DEVICES_MIB * MIB,
        "log_config": {"type": "none", "config": {}},
        "ipc_mode": "private",
        "init": False,
        **({"runtime": options.runtime} if options.runtime else {}),
    }
