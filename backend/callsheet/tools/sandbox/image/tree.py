"""The image's files where there is no registry: Debian packages unpacked, wheels put beside them.

No maintainer script is run and nothing of the host's set-up goes in: apt and pip work on the host
as they are configured there. This file's text is a part of the image's tag (`recipe`).
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Final

from callsheet.kit.errors import SetupError
from callsheet.tools.sandbox.image.workshop import Workshop

_PACKAGES: Final = (
    "python3",
    "base-files",
    "base-passwd",
    "libc-bin",
    "coreutils",
    "dash",
    "libstdc++6",
    "ca-certificates",
    "tzdata",
)
_OLDEST_PYTHON: Final = (3, 11)
_USERS: Final = "root:x:0:0::/:/usr/sbin/nologin\nsandbox:x:1000:1000::/workspace:/bin/sh\n"
_GROUPS: Final = "root:x:0:\nsandbox:x:1000:\n"
_SANDBOX: Final = 1000
_UNUSED: Final = (
    *(f"usr/share/{name}" for name in ("doc", "man", "locale", "info", "bug", "lintian")),
    *("var/cache", "var/lib/apt", "var/lib/dpkg", "etc/apt"),
)
_ANYONE: Final = 0o1777
_SET_IDS: Final = 0o6000
_PLAIN: Final = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8", "HOME": "/"}


def make_tree(work: Path, suite: str, lock: Path, pip: Path, shop: Workshop) -> Path:
    """Fill a new folder inside `work` and give it back. Needs root; blocks for a minute or two.

    `suite`: the Debian release, `lock`: the wheels with their hashes, `pip`: a Python that has
    pip. Raises SetupError, and what the workshop raises.
    """
    root = work / "root"
    shop.tell(f"unpacking Debian packages of {suite}")
    _unpack(root, work / "packages.tar", suite, shop)
    version = _python_of(root)
    site = root / "usr/local/lib" / f"python{version}" / "dist-packages"
    shop.tell(f"installing wheels for Python {version}")
    _install(site, version, lock, pip, shop)
    _clear(root, site)
    shop.tell("compiling, and listing fonts")
    _settle(root)
    _compile(root, version, site, shop)
    return root


def _unpack(root: Path, archive: Path, suite: str, shop: Workshop) -> None:
    root.mkdir()
    included = "--include=" + ",".join(_PACKAGES)
    flags = ("--quiet", "--variant=extract", "--mode=root", "--format=tar", included)
    shop.run(["mmdebstrap", *flags, suite, archive])
    shop.run(["tar", "-xf", archive, "-C", root, "--exclude=./dev/*"])
    archive.unlink()


def _python_of(root: Path) -> str:
    """Its version as `3.11`; SetupError where it is too old for the wheels."""
    name = (root / "usr/bin/python3").readlink().name
    version = name.removeprefix("python")
    if tuple(map(int, version.split("."))) < _OLDEST_PYTHON:
        raise SetupError(f"This Debian release has Python {version}; the image needs 3.11.")
    return version


def _install(site: Path, version: str, lock: Path, pip: Path, shop: Workshop) -> None:
    install = (pip, "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    flags = ("--no-deps", "--no-compile", "--require-hashes", "--only-binary=:all:")
    target = ("--implementation=cp", f"--python-version={version}", "--target", site)
    shop.run([*install, "--root-user-action=ignore", *flags, *target, "-r", lock])


def _clear(root: Path, site: Path) -> None:
    for name in _UNUSED:
        shutil.rmtree(root / name, ignore_errors=True)
    shutil.rmtree(site / "bin", ignore_errors=True)
    for folder in [path for path in site.rglob("test*") if path.name in ("test", "tests")]:
        if folder.is_dir():
            shutil.rmtree(folder, ignore_errors=True)


def _settle(root: Path) -> None:
    """Users, folders, links; no program that runs as somebody else."""
    (root / "etc/passwd").write_text(_USERS, "utf-8")
    (root / "etc/group").write_text(_GROUPS, "utf-8")
    certificates = sorted((root / "usr/share/ca-certificates/mozilla").glob("*.crt"))
    bundle = root / "etc/ssl/certs/ca-certificates.crt"
    bundle.write_bytes(b"".join(path.read_bytes() for path in certificates))
    for link, target in (("usr/bin/python", "python3"), ("bin/sh", "dash")):
        (root / link).unlink(missing_ok=True)
        (root / link).symlink_to(target)
    for name, mode, owner in (
        ("tmp", _ANYONE, 0),
        ("dev/shm", _ANYONE, 0),
        ("opt/mpl", 0o755, 0),
        ("workspace", 0o755, _SANDBOX),
    ):
        folder = root / name
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(mode)
        shutil.chown(folder, owner, owner)
    for path in root.rglob("*"):
        if path.is_file() and not path.is_symlink() and path.stat().st_mode & _SET_IDS:
            path.chmod(path.stat().st_mode & ~_SET_IDS & 0o7777)


def _compile(root: Path, version: str, site: Path, shop: Workshop) -> None:
    """Byte code goes in: with a read-only root every import would compile again."""
    inside = ["chroot", root, "python3"]
    byte_code = ("-m", "compileall", "-q", "-j", "0", "--invalidation-mode", "unchecked-hash")
    places = (f"/usr/lib/python{version}", f"/{site.relative_to(root)}")
    shop.run(
        [*inside, *byte_code, *places], _PLAIN, may_fail=True
    )  # some files are for other Pythons
    fonts = {**_PLAIN, "MPLCONFIGDIR": "/opt/mpl", "MPLBACKEND": "Agg"}
    shop.run([*inside, "-c", "import matplotlib.font_manager"], fonts)
