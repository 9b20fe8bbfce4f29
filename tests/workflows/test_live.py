"""Workflows that are edited while the process runs."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from callsheet.kit.errors import ConfigError, NotFound
from callsheet.workflows.live import LiveWorkflows
from tests.fakes.clock import HandClock
from tests.workflows.sample import AGENTS, FILES, KNOWN, WORKFLOW, write

LATER = datetime(2100, 1, 1, tzinfo=UTC)  # no file looks freshly written then


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write(tmp_path / "letters")
    return tmp_path


def edit(root: Path, old: str, new: str, file: str = "agents.yaml") -> None:
    text = (root / "letters" / file).read_text()
    assert old in text
    write(root / "letters", {file: text.replace(old, new)})


def role(live: LiveWorkflows) -> str:
    return live.get("letters").stages[0].agents["planner"].role


async def test_a_good_edit_is_active_after_a_refresh(root: Path) -> None:
    live = LiveWorkflows.load(root, KNOWN, HandClock(LATER), scan_every_s=0)
    before = live.get("letters")

    edit(root, "role: Planner", "role: Sketcher")
    with capture_logs() as lines:
        await live.refresh()

    assert role(live) == "Sketcher"
    assert live.get("letters").revision != before.revision
    assert before.stages[0].agents["planner"].role == "Planner"
    assert [line["event"] for line in lines] == ["workflow_changed"]


async def test_a_bad_edit_changes_nothing_and_is_reported_once(root: Path) -> None:
    live = LiveWorkflows.load(root, KNOWN, HandClock(LATER), scan_every_s=0)
    before = live.get("letters")

    edit(root, "role: Planner", "rolle: Planner")
    with capture_logs() as lines:
        for _ in range(3):
            await live.refresh()

    assert live.get("letters") is before
    told = f"{root}/letters/agents.yaml:2:3: unknown key 'rolle' (did you mean 'role'?)"
    assert [str(problem) for problem in live.problems()] == [told]
    (line,) = lines
    assert line["event"] == "workflow_edit_refused"
    assert (line["workflow"], line["still_active"]) == ("letters", before.revision)
    assert line["problems"] == [told]

    edit(root, "rolle: Planner", "role: Sketcher")
    await live.refresh()
    assert role(live) == "Sketcher"
    assert live.problems() == []


async def test_taking_a_bad_edit_back_ends_its_report(root: Path) -> None:
    live = LiveWorkflows.load(root, KNOWN, HandClock(LATER), scan_every_s=0)
    before = live.get("letters")

    edit(root, "role: Planner", "role: [")
    await live.refresh()
    assert live.problems() != []
    edit(root, "role: [", "role: Planner")
    await live.refresh()

    assert live.problems() == []
    assert live.get("letters") == before


async def test_a_second_folder_is_picked_up_and_a_removed_one_let_go(root: Path) -> None:
    live = LiveWorkflows.load(root, KNOWN, HandClock(LATER), scan_every_s=0)

    write(root / "notes")
    (root / ".git").mkdir()
    (root / "_drafts").mkdir()
    (root / "README.md").write_text("x")
    await live.refresh()
    assert live.names() == ["letters", "notes"]
    assert live.get("notes").name == "notes"
    assert live.problems() == []

    shutil.rmtree(root / "letters")
    await live.refresh()
    assert live.names() == ["notes"]
    with pytest.raises(NotFound, match=r"no workflow 'note'. Did you mean 'notes'") as caught:
        live.get("note")
    assert caught.value.error_code == "unknown_workflow"


async def test_a_new_folder_with_a_mistake_is_not_active_until_it_is_mended(root: Path) -> None:
    live = LiveWorkflows.load(root, KNOWN, HandClock(LATER), scan_every_s=0)

    write(root / "notes", {"workflow.yaml": WORKFLOW})
    await live.refresh()
    assert live.names() == ["letters"]
    assert len(live.problems()) == 2

    write(root / "notes")
    await live.refresh()
    assert live.names() == ["letters", "notes"]


async def test_a_lost_file_or_root_takes_nothing_away(root: Path) -> None:
    live = LiveWorkflows.load(root, KNOWN, HandClock(LATER), scan_every_s=0)
    before = live.get("letters")

    (root / "letters" / "tasks.yaml").unlink()
    await live.refresh()
    assert live.get("letters") is before
    assert [problem.message for problem in live.problems()] == ["there is no such file"]

    shutil.rmtree(root)
    await live.refresh()
    assert live.get("letters") is before
    assert "holds no workflow" in [problem.message for problem in live.problems()]


async def test_a_root_that_cannot_be_read_takes_nothing_away(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    live = LiveWorkflows.load(root, KNOWN, HandClock(LATER), scan_every_s=0)
    before = live.get("letters")

    def closed(path: Path) -> Iterator[Path]:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr(Path, "iterdir", closed)
    await live.refresh()
    assert live.get("letters") is before
    assert [problem.message for problem in live.problems()] == ["cannot be read: Permission denied"]


def test_a_start_with_a_mistake_is_refused_with_every_problem(root: Path) -> None:
    edit(root, "role: Planner", "rolle: Planner")
    write(root / "notes", {**FILES, "agents.yaml": AGENTS.replace("large", "huge")})

    with pytest.raises(ConfigError) as caught:
        LiveWorkflows.load(root, KNOWN, HandClock(LATER))

    assert [Path(problem.file).parent.name for problem in caught.value.problems] == [
        "letters",
        "notes",
    ]


def test_a_start_without_any_workflow_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="holds no workflow"):
        LiveWorkflows.load(tmp_path / "nowhere", KNOWN, HandClock(LATER))


async def test_the_disk_is_looked_at_no_more_often_than_asked(root: Path) -> None:
    clock = HandClock(LATER)
    live = LiveWorkflows.load(root, KNOWN, clock, scan_every_s=0.5)
    edit(root, "role: Planner", "role: Sketcher")

    clock.forward(0.4)
    await live.refresh()
    assert role(live) == "Planner"
    clock.forward(0.1)
    await live.refresh()
    assert role(live) == "Sketcher"


def test_an_edit_that_leaves_size_and_time_as_they_were_is_still_seen(root: Path) -> None:
    path = root / "letters" / "agents.yaml"
    clock = HandClock(datetime.fromtimestamp(path.stat().st_mtime, UTC))
    live = LiveWorkflows.load(root, KNOWN, clock, scan_every_s=0)
    stat = path.stat()

    edit(root, "role: Planner", "role: Drawers")
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    live.refresh_now()

    assert role(live) == "Drawers"


async def test_a_file_that_turns_into_something_else_is_a_problem(root: Path) -> None:
    live = LiveWorkflows.load(root, KNOWN, HandClock(LATER), scan_every_s=0)
    before = live.get("letters")

    (root / "letters" / "agents.yaml").unlink()
    (root / "letters" / "agents.yaml").mkdir()
    await live.refresh()

    assert live.get("letters") is before
    assert [problem.message for problem in live.problems()] == ["there is no such file"]
