"""A deployment's own folders, as they ship, with every factory at the fake provider."""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from callsheet.settings.settings import Settings

ROOT = Path(__file__).resolve().parents[2]


NO_ENGINE: Final = {"docker_host": "unix:///nowhere/docker.sock"}
"""What a turn is offered does not depend on the machine; who wants its engine says so."""


@dataclass(frozen=True, slots=True)
class Deployment:
    """Edit the files under `config` and `crews` as an author would."""

    folder: Path

    @property
    def config(self) -> Path:
        return self.folder / "config"

    @property
    def crews(self) -> Path:
        return self.folder / "crews"

    def edit(self, file: str, old: str, new: str) -> None:
        """Replace `old`, which must be there, in a file of the deployment."""
        path = self.folder / file
        text = path.read_text("utf-8")
        assert old in text, f"{old!r} is not in {file}"
        path.write_text(text.replace(old, new), "utf-8")

    def give_tools(self, *names: str, workflow: str = "chat") -> None:
        """Give the agent that works these tools and no others."""
        file = f"crews/{workflow}/agents.yaml"
        (given,) = re.findall(r"tools:\s+\[[^\]]*\]", (self.folder / file).read_text("utf-8"))
        self.edit(file, given, f"tools: [{', '.join(names)}]")

    def settings(self, database_url: str, **more: Any) -> Settings:
        """Settings that use it, with a key for each factory of the shipped models."""
        keys = {name: {"api_key": f"key-of-{name}-0123456789"} for name in ("qwen", "deepseek")}
        return Settings(
            **{
                "data_dir": self.folder / "data",
                "config_dir": self.config,
                "crews_dir": self.crews,
                "database": {"url": database_url},
                "log": {"level": "warning"},
                "sandbox": NO_ENGINE,
                "llm": keys,
                **more,
            }
        )


def make_deployment(folder: Path, provider_url: str) -> Deployment:
    """Copy what ships to `folder` and point every `request_url` at the provider."""
    for name in ("config", "crews"):
        shutil.copytree(ROOT / name, folder / name)
    catalog = folder / "config" / "llm_catalog.yaml"
    text = catalog.read_text("utf-8")
    catalog.write_text(re.sub(r"request_url: \S+", f"request_url: {provider_url}", text), "utf-8")
    return Deployment(folder)
