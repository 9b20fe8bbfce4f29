"""What can go wrong between us and an MCP server."""

from __future__ import annotations


class ServerDown(Exception):
    """The server is not reached, and was not asked; the message says why and holds no secret."""


class ConnectionLost(Exception):
    """The connection ended while a call was under way: nobody knows whether it was done."""


class NotAsked(Exception):
    """The connection was of no use any more, and the server never saw the call."""


class CallRefused(Exception):
    """The server answered a call with an error of its own; `wrong_arguments`: it says they are."""

    def __init__(self, message: str, *, wrong_arguments: bool = False) -> None:
        super().__init__(message)
        self.wrong_arguments = wrong_arguments
