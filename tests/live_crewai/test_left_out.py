"""What CrewAI loads for features that are not used stays out, and can still be had."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SCRIPT = """
import sys
from pathlib import Path
from callsheet.crew.warmup import warm_up

warm_up(Path(sys.argv[1]))
loaded = {name.partition(".")[0] for name in sys.modules}
print(sorted(loaded & {"chromadb", "openai"}))
import openai
print(openai.AsyncOpenAI.__mro__[1].__name__)
"""


def test_neither_chromadb_nor_the_openai_sdk_is_loaded_and_the_real_one_can_be(
    tmp_path: Path,
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=100,
        check=True,
    )
    assert done.stdout.splitlines() == ["[]", "AsyncAPIClient"]
