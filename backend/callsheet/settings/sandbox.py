"""The engine behind the sandbox."""

from __future__ import annotations

from pydantic import BaseModel, Field

from callsheet.settings.record import FROZEN


class SandboxSettings(BaseModel):
    """Where programs run; what they may use is in config/sandbox.yaml."""

    model_config = FROZEN

    docker_host: str | None = Field(
        default=None,
        pattern=r"^(unix:///|tcp://)\S+$",
        description="Address of the Docker engine, unix:///path or tcp://host:port. Unset: "
        "unix:///var/run/docker.sock. Whoever may talk to it is root on its machine.",
    )
