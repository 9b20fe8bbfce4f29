from __future__ import annotations

import socket

import pytest

from tests.plugins.guards import OutsideReachedError


def test_another_machine_cannot_be_reached() -> None:
    with pytest.raises(OutsideReachedError), socket.socket() as sock:
        sock.connect(("192.0.2.1", 80))


def test_names_of_other_machines_are_not_looked_up() -> None:
    with pytest.raises(OutsideReachedError):
        socket.getaddrinfo("example.com", 443)


def test_this_machine_can() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(server.getsockname(), timeout=1).close()
