"""Hostile and awkward programs, as data in the files beside this one, and what must become of them.

A program prints ESCAPED where a barrier gave way and HELD where it stood. None sends anything
anywhere, and each bomb has a ceiling of its own, so that a sandbox without limits is told so and
the machine stays up.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ruamel.yaml import YAML

FOLDER: Final = Path(__file__).parent
OUTPUT_BYTES: Final = 64 * 1024
NOTICE_BYTES: Final = 512
GRACE_S: Final = 20.0
"""Beyond the program's own limit; the machine may be busy with other tests."""
FILES_BYTES: Final = 20 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Attack:
    """`expect`: the classes that are right. `before`: a program that is run ahead of it.

    `has` must be in the output, `exit_code`, `truncated` and `files` be exactly so, and none of
    `no_files` come back. What a text check has refused has no output.
    """

    name: str
    group: str
    code: str
    expect: frozenset[str]
    timeout_s: int = 10
    before: str = ""
    has: str = ""
    exit_code: int | None = None
    truncated: bool | None = None
    files: tuple[str, ...] | None = None
    no_files: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Its name, for whoever lists tests."""
        return self.name


def load_attacks() -> list[Attack]:
    """All of them, group by group."""
    yaml = YAML(typ="safe", pure=True)
    return [
        _attack(path.stem, entry)
        for path in sorted(FOLDER.glob("*.yaml"))
        for entry in yaml.load(path.read_text("utf-8"))
    ]


def _attack(group: str, entry: dict[str, Any]) -> Attack:
    code = entry.pop("code")
    files = entry.pop("files", None)
    entry.pop("note", None)
    return Attack(
        group=group,
        code=code if isinstance(code, str) else "".join(text * times for text, times in code),
        expect=frozenset(entry.pop("expect").split()),
        files=None if files is None else tuple(files),
        no_files=tuple(entry.pop("no_files", ())),
        **entry,
    )


def problems(attack: Attack, report: Mapping[str, Any], took_s: float) -> list[str]:
    """What is wrong with the outcome; empty where it held."""
    found = list(_said(attack, report))
    if took_s > attack.timeout_s + GRACE_S:
        found.append(f"took {took_s:.1f} s with a limit of {attack.timeout_s} s")
    files = report.get("artifacts", [])
    found += _names(attack, [each["name"] for each in files])
    if sum(each["size"] for each in files) > FILES_BYTES:
        found.append("its files are too large")
    try:
        json.dumps(report, ensure_ascii=False).encode("utf-8")
    except (UnicodeError, ValueError) as error:
        found.append(f"the result is no clean JSON: {error}")
    return found


def _said(attack: Attack, report: Mapping[str, Any]) -> list[str]:
    out, err = report.get("stdout", ""), report.get("stderr", "")
    said, status = out + err, report["status"]
    found = []
    if status not in attack.expect:
        reason = report.get("reason", err[-300:])
        found.append(f"{status}, but wanted one of {sorted(attack.expect)}: {reason}")
    found += [f"gave way: {line[:200]}" for line in said.splitlines() if "ESCAPED" in line]
    for stream, text in (("stdout", out), ("stderr", err)):
        if len(text.encode("utf-8", "surrogatepass")) > OUTPUT_BYTES + NOTICE_BYTES:
            found.append(f"{stream} is over its limit")
    if status == "rejected":
        return found
    if attack.has not in said:
        found.append(f"{attack.has!r} is not in the output: {said[-300:]}")
    if attack.exit_code not in (None, report.get("exit_code")):
        found.append(f"exit code {report.get('exit_code')}, but wanted {attack.exit_code}")
    if attack.truncated not in (None, "truncated" in report):
        found.append("whether output was dropped is not said rightly")
    return found


def _names(attack: Attack, names: Sequence[str]) -> list[str]:
    found = [f"{name} came back" for name in names if name in attack.no_files]
    if attack.files is not None and sorted(names) != sorted(attack.files):
        found.append(f"files {names}, but wanted {list(attack.files)}")
    for name in names:
        steps = name.replace("\\", "/").split("/")
        if name.startswith("/") or ".." in steps or any(ord(sign) < 32 for sign in name):
            found.append(f"the name {name!a} is not safe")
    return found
