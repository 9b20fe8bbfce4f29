"""What is never fetched, however it is spelled; and what is."""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import ip_address

import pytest

from callsheet.kit.errors import SetupError, ToolFailed, ToolRetry
from callsheet.tools.web.guard import (
    AllowList,
    judge_addresses,
    judge_target,
    read_allow_list,
)
from callsheet.tools.web.target import read_target
from tests.tools.web.urls import INSIDE, NOT_READ, PORTS_REFUSED, PUBLIC

NONE = AllowList()


@pytest.mark.parametrize("url", INSIDE)
def test_what_is_inside_is_refused(url: str) -> None:
    with pytest.raises((ToolFailed, ToolRetry)):
        judge_target(read_target(url), NONE)


@pytest.mark.parametrize("url", NOT_READ)
def test_what_could_be_read_in_two_ways_is_not_read(url: str) -> None:
    with pytest.raises(ToolRetry):
        read_target(url)


@pytest.mark.parametrize(("url", "read"), PUBLIC.items())
def test_what_is_public_is_read_in_one_way(url: str, read: tuple[str, int, str]) -> None:
    target = read_target(url)
    judge_target(target, NONE)
    assert (target.host, target.port, target.url) == read


@pytest.mark.parametrize("port", PORTS_REFUSED)
def test_other_ports_than_those_of_web_servers_are_refused(port: int) -> None:
    with pytest.raises(ToolFailed, match=f"Port {port} "):
        judge_target(read_target(f"http://example.com:{port}/"), NONE)


def judge(host: str, addresses: Iterable[str], allowed: AllowList = NONE) -> None:
    target = read_target(f"http://{host}/")
    judge_target(target, allowed)
    judge_addresses(target, [ip_address(each) for each in addresses], allowed)


@pytest.mark.parametrize(
    "addresses",
    [
        [],
        ["127.0.0.1"],
        ["93.184.215.14", "10.0.0.1"],
        ["93.184.215.14", "::1"],
        ["2606:2800:21f:cb07:6820:80da:af6b:8b2c", "fe80::1%2"],
        ["::ffff:93.184.215.14"],
        ["169.254.169.254"],
        ["64:ff9b::a00:1"],
    ],
)
def test_one_address_inside_is_one_too_many(addresses: list[str]) -> None:
    with pytest.raises(ToolFailed) as refused:
        judge("example.com", addresses)
    assert str(refused.value) == (
        "example.com is not on the public internet, and only pages there are fetched."
    )


def test_a_name_with_public_addresses_alone_is_taken() -> None:
    judge("example.com", ["93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c"])
    judge("example.com", ["64:ff9b::5db8:d70e"])


def test_an_own_service_is_taken_at_exactly_its_host_and_port() -> None:
    own = read_allow_list(["Wiki.Internal:3000", "127.0.0.1:8123", "[::1]:80", "db:443"])
    judge("wiki.internal:3000", ["10.1.2.3"], own)
    judge("wiki.internal.:3000", ["127.0.0.1", "::1"], own)
    judge("127.0.0.1:8123", ["127.0.0.1"], own)
    judge("[0::1]:80", ["::1"], own)
    judge("db:443", ["192.168.1.2"], own)
    for other in (
        "wiki.internal", "wiki.internal:3001", "a.wiki.internal:3000", "127.0.0.1:8124",
        "127.0.0.2:8123", "localhost:8123", "[::1]:443", "db", "10.1.2.3:3000",
    ):  # fmt: skip
        with pytest.raises(ToolFailed):
            judge(other, ["93.184.215.14"], own)


@pytest.mark.parametrize(
    "address", ["169.254.169.254", "100.100.100.200", "fd00:ec2::254", "fe80::1", "224.0.0.1", "::"]
)
def test_the_name_of_an_own_service_never_stands_for_metadata_and_the_like(address: str) -> None:
    own = read_allow_list(["wiki.internal:80"])
    with pytest.raises(ToolFailed):
        judge("wiki.internal", ["10.1.2.3", address], own)


@pytest.mark.parametrize(
    "entry",
    [
        "wiki",
        "wiki:",
        "http://wiki:80",
        "wiki:80/x",
        "*:80",
        "10.0.0.0/8:80",
        "0x7f.1:80",
        "a@b:80",
    ],
)
def test_an_entry_that_is_no_service_is_named(entry: str) -> None:
    with pytest.raises(SetupError, match="write host:port"):
        read_allow_list([entry])
