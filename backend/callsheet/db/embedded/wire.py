"""Just enough of PostgreSQL's protocol to know that a server really answers."""

from __future__ import annotations

import socket
import struct
from pathlib import Path
from typing import Final

_PROTOCOL: Final = 196608  # 3.0
_USER: Final = "postgres"
NO_SUCH_DATABASE: Final = "3D000"
STARTING_UP: Final = "57P03"


class Refused(Exception):
    """The server answered with an error; `code` is its SQLSTATE."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def ask(path: Path, database: str, statement: str | None = None, *, timeout_s: float) -> None:
    """Log in on the unix socket at `path` and run `statement`, if there is one.

    Returns when the server is ready for a query. OSError: nobody listens, or it went away;
    Refused: it listens and says no (starting up, no such database).
    """
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as sock:
        sock.settimeout(timeout_s)
        sock.connect(str(path))
        parameters = f"user\0{_USER}\0database\0{database}\0\0".encode()
        sock.sendall(struct.pack("!ii", len(parameters) + 8, _PROTOCOL) + parameters)
        _until_ready(sock)
        if statement is not None:
            sock.sendall(_message(b"Q", statement.encode() + b"\0"))
            _until_ready(sock)
        sock.sendall(_message(b"X", b""))


def _message(kind: bytes, body: bytes) -> bytes:
    return kind + struct.pack("!i", len(body) + 4) + body


def _until_ready(sock: socket.socket) -> None:
    """Read messages up to ReadyForQuery; an ErrorResponse is raised."""
    while True:
        kind, length = struct.unpack("!ci", _exactly(sock, 5))
        body = _exactly(sock, length - 4)
        if kind == b"E":
            fields = {part[:1]: part[1:].decode() for part in body.split(b"\0") if part}
            raise Refused(fields.get(b"C", ""), fields.get(b"M", ""))
        if kind == b"Z":
            return


def _exactly(sock: socket.socket, size: int) -> bytes:
    data = bytearray()
    while len(data) < size:
        piece = sock.recv(size - len(data))
        if not piece:
            raise ConnectionResetError("the server closed the connection")
        data += piece
    return bytes(data)
