"""The sandbox's part of the doctor."""

from __future__ import annotations

from typing import Final

from callsheet.cli.deployment import Deployment
from callsheet.cli.finding import Finding
from callsheet.tools.sandbox.image.build import COMMAND
from callsheet.tools.sandbox.image.recipe import load_recipe
from callsheet.tools.sandbox.options import SandboxOptions
from callsheet.tools.sandbox.probe import DockerProbe
from callsheet.tools.sandbox.protocol import Kind, SandboxState
from callsheet.tools.sandbox.sandbox_file import FILE, read_sandbox

_SUBJECT: Final = "sandbox"
_WITHOUT: Final = "until then python_executor is not offered; all else works."
_MENDS: Final[dict[Kind, str]] = {
    "no_engine": "Install and start Docker, or set CALLSHEET_SANDBOX__DOCKER_HOST",
    "no_permission": "Let the user of the server into the group of the socket (often: docker)",
    "no_image": f"Run `{COMMAND}`",
}


async def sandbox(deployment: Deployment) -> Finding:
    """Whether programs can be run; the engine is asked now."""
    options, _ = read_sandbox(deployment.folders.config / FILE)
    if not options.enabled:
        return Finding(_SUBJECT, "ok", f"switched off in {FILE}")
    image = options.image or load_recipe().image
    state = await DockerProbe(deployment.settings.sandbox.docker_host).state(image)
    return finding_of(state, image, options)


def finding_of(state: SandboxState, image: str, options: SandboxOptions) -> Finding:
    """What the engine's state means for whoever runs the server."""
    if state.ready:
        wait = f"{options.pool.size} containers wait for programs once the first has come"
        return Finding(_SUBJECT, "ok", f"{image}; {wait if options.pool.size else 'no pool'}")
    mend = f"{_MENDS.get(state.kind, 'Look at the engine')}; {_WITHOUT}"
    if state.kind == "no_image" and options.build and not options.image:
        mend = f"Run `{COMMAND}`, or leave it to the first program that comes."
    return Finding(_SUBJECT, "warning", state.detail, mend)
