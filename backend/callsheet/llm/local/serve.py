"""Serves the small model until it is stopped: `python -m callsheet.llm.local.serve`."""

from __future__ import annotations

import argparse
import signal
import threading
from types import FrameType
from typing import Final

from rich.console import Console

from callsheet.kit.errors import SetupError
from callsheet.llm.local.engine import HOST, start
from callsheet.llm.local.weights import MODEL_CODE, find_weights

PORT: Final = 8177
_USE: Final = """\
To try it, in a second terminal, with a workflow that is made for so small a model:

    cp -r docs/examples/small crews/small
    .venv/bin/callsheet chat --workflow small "What is the capital of France?"

In a workflow of your own, name it in agents.yaml for the agents that it shall play:

    default_model: {code}

config/models.yaml says where it listens; after another port, change it there:

    {code}:
      factory: local
      request_url: {url}
      auth: none

It is small: it shows real tokens and real answers, not good ones. Stop it with Ctrl-C."""


def main(arguments: list[str] | None = None) -> int:
    """Load, listen, and wait for SIGINT or SIGTERM. Gives the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m callsheet.llm.local.serve", description=__doc__
    )
    parser.add_argument("--port", type=int, default=PORT, help=f"on {HOST}; 0: any free one")
    parser.add_argument("--threads", type=int, default=1, help="threads that compute")
    chosen = parser.parse_args(arguments)
    console = Console(highlight=False, soft_wrap=True)
    stopped = threading.Event()

    def stop(number: int, frame: FrameType | None) -> None:
        stopped.set()

    try:
        weights = find_weights()
    except SetupError as error:
        console.print(str(error))
        return 1
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    size_mb = weights.stat().st_size // 1_000_000
    with console.status(f"Loading {weights.name} ({size_mb} MB)"):
        try:
            running = start(weights, port=chosen.port, threads=chosen.threads)
        except RuntimeError as error:
            console.print(f"The engine could not start on {HOST}:{chosen.port}: {error}")
            return 1
    console.print(f"Ready: {running.url}\n")
    console.print(_USE.format(code=MODEL_CODE, url=running.url))
    stopped.wait()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
