"""Names that no two tools share and that no tool loses."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsheet.tools.mcp.names import allows, name_of, patterns_of, server_of

SERVERS = st.from_regex(r"[a-z][a-z0-9]{0,8}([_-][a-z0-9]{1,5}){0,2}", fullmatch=True)
TOOLS = st.one_of(st.text(min_size=1, max_size=100), st.from_regex(r"[a-z_-]{1,8}", fullmatch=True))


def test_a_plain_name_is_the_servers_and_the_tools() -> None:
    assert name_of("tracker", "get_issue") == "tracker__get_issue"
    assert server_of("tracker__get_issue") == "tracker"
    assert server_of("my_wiki-2___page") == "my_wiki-2"


@pytest.mark.parametrize("name", ["calculator", "__x", "a__", "A__x", "a_b", "", "1a__x"])
def test_what_no_server_can_bring_is_no_servers(name: str) -> None:
    assert server_of(name) is None


def test_names_that_look_alike_stay_apart() -> None:
    names = [name_of("one", each) for each in ("a-b", "a b", "a_b", "a.b", "a/b", "A_b")]
    assert len(set(names)) == 6
    assert names[0] == "one__a-b"
    assert names[2] == "one__a_b"
    assert re.fullmatch(r"one__a_b_[0-9a-f]{8}", names[1])


def test_a_name_that_another_tool_has_already_gets_a_hash() -> None:
    taken = name_of("one", "search", {"one__search"})
    assert re.fullmatch(r"one__search_[0-9a-f]{8}", taken)
    assert taken == name_of("one", "search", {"one__search", "more"})


@given(SERVERS, TOOLS, SERVERS, TOOLS)
def test_no_two_tools_have_one_name(first: str, tool: str, second: str, other: str) -> None:
    one, two = name_of(first, tool), name_of(second, other)
    assert re.fullmatch(r"[A-Za-z0-9_-]{1,64}", one)
    assert server_of(one) == first
    assert (one == two) == ((first, tool) == (second, other))


@given(SERVERS, TOOLS, st.booleans())
def test_what_the_white_list_takes_may_be_named(server: str, tool: str, taken: bool) -> None:
    name = name_of(server, tool, {f"{server}__{tool}"} if taken else ())
    for allowed in ("*", tool):
        if allows([allowed], tool):
            assert any(fnmatchcase(name, each) for each in patterns_of(server, [allowed]))


def test_the_white_list_has_names_and_patterns() -> None:
    assert allows(["get_*", "list"], "get_issue")
    assert allows(["get_*", "list"], "list")
    assert not allows(["get_*", "list"], "list_all")
    assert not allows(["get_*"], "Get_issue")
    assert allows(["what[0]"], "what[0]")
