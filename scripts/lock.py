"""Write requirements/*.lock from pyproject.toml: hashes, no index address, one resolution for all.

dev.lock is resolved first, with every extra; the other locks are parts of it, so that a package
has one version however a deployment was installed. Needs the package registry.
"""

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOCKS = ROOT / "requirements"
UV = str(Path(sys.executable).with_name("uv"))
COMMON = (
    "--universal",
    "--python-version=3.11",
    "--generate-hashes",
    "--no-emit-index-url",
    "--no-annotate",
    "--custom-compile-command=make lock",
    "--quiet",
)
WITHIN_DEV = ("-c", "requirements/dev.lock")
# One version for all Pythons: pip, told of another Python than its own, reads no markers for it.
FOR_EVERY_PYTHON = ("--fork-strategy=fewest", "--no-config")


def compile_lock(name: str, *arguments: str, into: Path | None = None) -> None:
    lock = into or LOCKS / f"{name}.lock"
    upgrade = ("--upgrade",) if "--upgrade" in sys.argv[1:] else ()
    command = [UV, "pip", "compile", *COMMON, *upgrade, *arguments, "-o", str(lock)]
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    lock.write_text(without_common_marker(lock.read_text("utf-8")), "utf-8")
    packages = re.findall(r"^\S+==", lock.read_text("utf-8"), flags=re.MULTILINE)
    print(f"{lock.relative_to(ROOT)}: {len(packages)} packages")


def without_common_marker(text: str) -> str:
    """Drop the marker that stands on nearly every line: "one of the supported platforms"."""
    markers = Counter(re.findall(r"==[^ ;]+( ; .*?)(?: \\)?$", text, flags=re.MULTILINE))
    if not markers:
        return text
    common = markers.most_common(1)[0][0]
    return re.sub(re.escape(common) + r"(?= \\$|$)", "", text, flags=re.MULTILINE)


def main() -> None:
    project = ("pyproject.toml", "--group", "build")
    extras = (each for extra in ("litellm", "parquet", "redis") for each in ("--extra", extra))
    compile_lock("dev", *project, "--group", "dev", *extras)
    compile_lock("runtime", *project, *WITHIN_DEV)
    compile_lock("litellm", *project, "--extra", "litellm", *WITHIN_DEV)
    compile_lock("local-model", "--no-deps", "requirements/local-model.in")
    compile_lock("bootstrap", "--no-deps", "requirements/bootstrap.in")
    sandbox = ROOT / "sandbox" / "requirements.lock"
    compile_lock("sandbox", *FOR_EVERY_PYTHON, "sandbox/requirements.in", into=sandbox)


if __name__ == "__main__":
    main()
