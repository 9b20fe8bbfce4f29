"""In a process of its own: CrewAI prints nothing, calls nobody and writes only where it may."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from callsheet.crew.warmup import warm_up

SCRIPT = """
import asyncio, json, signal, sys, threading
from pathlib import Path

reached = []
def hook(event, args):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.sendto"):
        reached.append(str(args))
sys.addaudithook(hook)
before = {s: signal.getsignal(s) for s in (signal.SIGINT, signal.SIGTERM)}

from callsheet.crew.quiet import load_crewai
assert "crewai" not in sys.modules
load_crewai(Path(sys.argv[1]))

from tests.fakes.chat import ScriptedChat, text
from tests.fakes.stage import agent, stage_work, task
from tests.live_crewai.playing import Play
from callsheet.llm.errors import ProviderError

def fault():
    return [ProviderError("no", code="provider_refused")]

async def main():
    tasks = [task("one", async_execution=True), task("two")]
    chat = ScriptedChat([text("a"), text("b"), text("c"), fault()])
    await Play.of(chat).run(stage_work(tasks=tasks))
    await Play.of(chat).run(stage_work())
    try:
        await Play.of(chat).run(stage_work())
    except ProviderError:
        pass

asyncio.run(main())
assert {s: signal.getsignal(s) for s in before} == before
Path(sys.argv[2]).write_text(json.dumps({
    "reached": reached,
    "threads": [t.name for t in threading.enumerate() if t is not threading.main_thread()],
}))
"""


def test_nothing_is_printed_sent_or_written_outside_the_data_folder(tmp_path: Path) -> None:
    home, work, data = tmp_path / "home", tmp_path / "cwd", tmp_path / "data"
    temp = tmp_path / "tmp"
    for folder in (home, work, temp):
        folder.mkdir()
    report = tmp_path / "report.json"
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(data), str(report)],
        cwd=work,
        env={
            "HOME": str(home),
            "TMPDIR": str(temp),
            "PATH": os.environ["PATH"],
            "PYTHONPATH": f"{root / 'backend'}:{root}",
            "PYTHONDONTWRITEBYTECODE": "1",
        },
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert (done.stdout, done.stderr, done.returncode) == ("", "", 0)
    told = json.loads(report.read_text())
    assert told["reached"] == []
    assert not [name for name in told["threads"] if "otel" in name.lower()]
    for folder in (home, work, temp):
        assert [str(path) for path in folder.rglob("*")] == []
    assert {path.name for path in data.iterdir()} == {"crewai"}
    assert not list(data.rglob("*.db"))


def test_it_refuses_to_come_too_late(tmp_path: Path) -> None:
    script = (
        "import sys, types; sys.modules['crewai'] = types.ModuleType('crewai')\n"
        "from pathlib import Path\n"
        "from callsheet.crew.quiet import load_crewai\n"
        "from callsheet.kit.errors import SetupError\n"
        "try: load_crewai(Path(sys.argv[1]))\n"
        "except SetupError: print('refused')\n"
    )
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path)],
        env={"PYTHONPATH": str(root / "backend"), "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stdout.strip() == "refused"


def test_warming_up_runs_a_crew_in_any_thread(crewai_folder: Path) -> None:
    with ThreadPoolExecutor(max_workers=1) as pool:
        assert pool.submit(warm_up, crewai_folder).result(timeout=60) is None
