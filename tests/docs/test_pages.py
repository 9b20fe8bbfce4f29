"""The pages agree with each other and with the product."""

from __future__ import annotations

import importlib
import re
import typing
from pathlib import Path

import pytest
from typer.main import get_command

from callsheet.cli.app import COMMANDS
from callsheet.events.union import AnyRunEvent
from callsheet.settings.names import is_known, variables
from tests.architecture.sources import ROOT
from tests.docs.pages import PAGES, headings, links, text_of

_COMMAND = re.compile(r"callsheet ([a-z]+)(?: ([a-z]+))?")
_VARIABLE = re.compile(r"CALLSHEET_[A-Z]+(?:_[A-Z]+)*(?:__[A-Z<>_]+)*")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page: Path) -> None:
    lost = []
    for link in links(page.read_text("utf-8")):
        if link.startswith(("http://", "https://", "mailto:")):
            continue
        target, _, anchor = link.partition("#")
        found = (page.parent / target).resolve() if target else page
        if not found.exists() or (anchor and anchor not in headings(found)):
            lost.append(link)
    assert lost == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_commands_that_are_named_exist(page: Path) -> None:
    text = page.read_text("utf-8")
    for code in re.findall(r"`(callsheet [^`]+)`|^\$ (?:\S*/)?(callsheet .+)$", text, re.MULTILINE):
        named = _COMMAND.match(code[0] or code[1])
        if named is None:
            continue
        assert named[1] in COMMANDS, named[0]
        if named[1] in ("db", "keys", "sessions", "tools") and named[2]:
            assert named[2] in _subcommands(named[1]), named[0]


def _subcommands(name: str) -> set[str]:
    group = get_command(importlib.import_module(f"callsheet.cli.{name}").app)
    return set(group.commands)  # type: ignore[attr-defined]


def test_every_page_is_reached_from_the_index() -> None:
    linked = {link.split("#")[0] for link in links(text_of("docs/index.md"))}
    pages = {path.name for path in (ROOT / "docs").glob("*.md")} - {"index.md"}
    assert pages <= linked


def test_files_that_requirements_names_exist() -> None:
    text = text_of("docs/requirements.md")
    named = set(re.findall(r"`(tests/[\w/]+\.py)`", text))
    assert len(named) > 40
    assert [name for name in sorted(named) if not (ROOT / name).is_file()] == []


def test_every_requirement_is_answered_and_what_is_there_has_tests() -> None:
    rows = [line for line in text_of("docs/requirements.md").splitlines() if line.startswith("|")]
    for row in rows:
        cells = [cell.strip() for cell in row.strip("|").split(" | ")]
        verdict = next((c for c in cells[1:] if re.match(r"(yes|part|no)\b", c)), None)
        if verdict is not None and not verdict.startswith("no"):
            assert "`tests/" in row, row
    assert [
        number for number in range(1, 10) if not any(f"| R{number} |" in row for row in rows)
    ] == []


def test_the_mapping_names_every_run_event() -> None:
    page = text_of("docs/decisions/0008-run-events-and-ag-ui-events.md")
    named = re.findall(r"^\| ([A-Z][a-z]\w+) \|.+\|$", page, re.MULTILINE)
    events = [each.__name__ for each in typing.get_args(AnyRunEvent)]
    assert sorted(named) == sorted(["RunEvent", *events])


def test_variables_that_are_named_are_settings() -> None:
    known = {variable.name for variable in variables()}
    for page in PAGES:
        for name in _VARIABLE.findall(page.read_text("utf-8")):
            if name.startswith("CALLSHEET_TEST") or name in known or is_known(name):
                continue
            assert "<" in name or any(other.startswith(name) for other in known), (page.name, name)
