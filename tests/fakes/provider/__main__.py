"""The fake provider as a process of its own: `python -m tests.fakes.provider --port 9100`.

PUT /control takes a scenario, GET /control gives the counters, POST /control/reset clears both.
"""

from __future__ import annotations

import argparse
import asyncio

import uvloop

from tests.fakes.provider.protocol import Connection
from tests.fakes.provider.state import State


async def _serve(port: int) -> None:
    state = State()
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Connection(state), "127.0.0.1", port, backlog=1024)
    async with server:
        await server.serve_forever()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, required=True)
    uvloop.run(_serve(parser.parse_args().port))


if __name__ == "__main__":
    main()
