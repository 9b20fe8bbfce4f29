"""The names of all environment variables, read off the settings' models."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Final

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from callsheet.llm.key import variable_part
from callsheet.settings.settings import DELIMITER, PREFIX, LlmSettings, Settings

FACTORY: Final = "<FACTORY>"
SERVER: Final = "<SERVER>"
SECRET: Final = "<NAME>"  # noqa: S105 (no secret: what stands for the name of one)
_ANY: Final = frozenset({FACTORY, SERVER, SECRET})


@dataclass(frozen=True, slots=True)
class Variable:
    """One variable. `section` is the heading it stands under; `default` is None where unset."""

    name: str
    path: tuple[str, ...]
    section: str
    default: Any
    field: FieldInfo

    @property
    def is_secret(self) -> bool:
        """True where its value must not be shown."""
        return "SecretStr" in str(self.field.annotation)


def variables() -> tuple[Variable, ...]:
    """Every variable, in the order of the settings; names that a deployment gives are `<...>`."""
    return tuple(_walk(Settings, (), "The deployment"))


def variable_of(path: tuple[str, ...]) -> str:
    """The variable of a path into the settings: ("server", "port") -> CALLSHEET_SERVER__PORT."""
    return PREFIX + DELIMITER.join(path).upper()


def mcp_variable(server: str, name: str) -> str:
    """The variable of an MCP server's secret: ("my-wiki", "token") ->
    CALLSHEET_MCP__MY_WIKI__TOKEN.
    """
    return variable_of(("mcp", variable_part(server), name))


def is_known(name: str) -> bool:
    """True for a variable that some setting reads."""
    return any(_matches(name, variable.path) for variable in variables())


def is_mcp_secret(name: str) -> bool:
    """True for a secret of an MCP server."""
    return _matches(name, ("mcp", SERVER, SECRET))


def suggest(name: str) -> str | None:
    """The variable that was probably meant."""
    close = get_close_matches(name.upper(), [each.name for each in variables()], n=1, cutoff=0.75)
    return close[0] if close else None


def _matches(name: str, path: tuple[str, ...]) -> bool:
    parts = name.removeprefix(PREFIX).lower().split(DELIMITER)
    return len(parts) == len(path) and all(
        (wanted == part or wanted in _ANY) and part != ""
        for part, wanted in zip(parts, path, strict=True)
    )


def _walk(model: type[BaseModel], path: tuple[str, ...], section: str) -> Iterator[Variable]:
    nested: list[tuple[type[BaseModel], tuple[str, ...]]] = []
    last: list[Variable] = []
    for name, field in model.model_fields.items():
        here = (*path, name)
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            nested.append((field.annotation, here))
        elif name == "llm":
            nested.append((LlmSettings, (*here, FACTORY)))
        elif name == "mcp":
            secret = (*here, SERVER, SECRET)
            last.append(
                Variable(variable_of(secret), secret, "Secrets of MCP servers", None, field)
            )
        else:
            yield Variable(variable_of(here), here, section, field.default, field)
    for inner, here in nested:
        yield from _walk(inner, here, (inner.__doc__ or "").rstrip("."))
    yield from last
