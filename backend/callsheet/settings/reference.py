"""The settings as documents: `.env.example` and docs/configuration.md are these texts."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from pydantic import SecretStr

from callsheet.settings.names import FACTORY, SECRET, Variable, variables

_WIDTH: Final = 98
_ENV_HEAD: Final = """\
# Callsheet: addresses, secrets and limits of one deployment. Copy it to .env and uncomment what
# differs. Behaviour (agents, workflows, models, prices, tools) is in the YAML of config/ and
# crews/. Keys of model vendors are not listed here: each factory of config/llm_catalog.yaml has a
# variable of its own, CALLSHEET_LLM__<FACTORY>__API_KEY; so has each secret of an MCP server in
# config/mcp.yaml, CALLSHEET_MCP__<SERVER>__<NAME>. `callsheet check` names those that are lacking.
"""
_DOC_HEAD: Final = """\
# Configuration

Behaviour is YAML: `config/` holds models, prices and tools, `crews/` the workflows. The environment
holds addresses, secrets and limits: the variables on this page.

- They are read once, at start, from the process environment and from `.env` in the working folder.
  The environment counts more; a value that the two set differently is warned about, masked.
- An empty variable counts as unset. A wrong value stops the start; all wrong values are named at
  once.
- A variable that begins with `CALLSHEET_` and is not on this page is warned about, with the one
  that was probably meant.
- `.env.example` is this page as a file to copy; `callsheet init` writes it as `.env`.

This page is made from the code by `python -m callsheet.settings.reference`; a test keeps them
alike.
"""


def env_example() -> str:
    """`.env.example`: every variable but the vendors' keys, commented out, with its default."""
    blocks = [_ENV_HEAD]
    for section, group in _sections():
        listed = [
            variable
            for variable in group
            if not any(part in variable.name for part in (FACTORY, SECRET))
        ]
        if listed:
            blocks.append(f"# ---- {section}\n")
            blocks.extend(_env_block(variable) for variable in listed)
    return "\n".join(blocks)


def configuration_page() -> str:
    """docs/configuration.md."""
    blocks = [_DOC_HEAD]
    for section, group in _sections():
        rows = "".join(
            f"| `{variable.name}` | {_shown_default(variable)} | {_cell(variable)} |\n"
            for variable in group
        )
        blocks.append(f"## {section}\n\n| variable | default | meaning |\n|---|---|---|\n{rows}")
    return "\n".join(blocks)


def _sections() -> Iterator[tuple[str, list[Variable]]]:
    for section, group in groupby(variables(), key=lambda variable: variable.section):
        yield section, list(group)


def _env_block(variable: Variable) -> str:
    comment = textwrap.fill(
        variable.field.description or "",
        _WIDTH,
        initial_indent="# ",
        subsequent_indent="# ",
        break_long_words=False,
        break_on_hyphens=False,
    )
    return f"{comment}\n# {variable.name}={_text(variable.default)}\n"


def _shown_default(variable: Variable) -> str:
    text = _text(variable.default)
    return f"`{text}`" if text else "unset"


def _cell(variable: Variable) -> str:
    description = (variable.field.description or "").replace("|", "\\|")
    secret = " Secret." if variable.is_secret else ""
    return f"{description}{secret}"


def _text(default: Any) -> str:
    if default is None or isinstance(default, SecretStr):
        return ""
    if isinstance(default, bool):
        return str(default).lower()
    return ",".join(map(str, default)) if isinstance(default, tuple) else str(default)


if __name__ == "__main__":
    root = Path(__file__).resolve().parents[3]
    (root / ".env.example").write_text(env_example(), encoding="utf-8")
    (root / "docs" / "configuration.md").write_text(configuration_page(), encoding="utf-8")
