"""`mcp.yaml`: the MCP servers of a deployment and which of their tools agents may be given."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar, Final
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, StringConstraints, WithJsonSchema

from callsheet.kit.errors import ConfigError, Problem
from callsheet.kit.yaml import Document, Section, compose
from callsheet.kit.yaml_nodes import Place
from callsheet.tools.mcp.names import LONGEST_SERVER, SERVER_NAME, patterns_of
from callsheet.tools.mcp.server import Endpoint, McpServer, Program
from callsheet.workflows.words import Text

FILE: Final = "mcp.yaml"
Secret = Callable[[str, str], str | None]
"""The value of a server's secret by its name; None where the deployment has none."""
Variable = Callable[[str, str], str]
"""The environment variable that would hold it."""

_REFERENCE: Final = re.compile(r"\$\{([^}]*)\}?")
_SECRET_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9]*(_[A-Za-z0-9]+)*")


def _server_name(value: str) -> str:
    if len(value) > LONGEST_SERVER or not re.match(SERVER_NAME, value):
        raise ValueError(
            f"{value!r} is no name for a server: up to {LONGEST_SERVER} lower-case letters and "
            "digits, single '_' or '-' between them, beginning with a letter"
        )
    return value


ServerName = Annotated[
    str, AfterValidator(_server_name), WithJsonSchema({"type": "string", "pattern": SERVER_NAME})
]
EnvName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]
HeaderName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")]


class ServerEntry(Section):
    """One server: `command` for one that is started here, `url` for one that is reached by HTTP."""

    synonyms: ClassVar[Mapping[str, str]] = {
        "environment": "env",
        "cmd": "command",
        "arguments": "args",
        "endpoint": "url",
        "timeout": "call_timeout_s",
        "allowed_tools": "tools",
        "tool_filter": "tools",
    }

    command: Text | None = Field(default=None, description="A program, looked for on the PATH.")
    args: tuple[str, ...] = Field(default=(), description="Its arguments.")
    env: dict[EnvName, str] = Field(
        default_factory=dict,
        description="All of its environment beside PATH and HOME. ${NAME} is the secret "
        "CALLSHEET_MCP__<SERVER>__<NAME>.",
    )
    cwd: Text | None = Field(default=None, description="The folder that it is started in.")
    url: Text | None = Field(default=None, description="Address for streamable HTTP.")
    headers: dict[HeaderName, str] = Field(
        default_factory=dict, description="Sent with each request; ${NAME} as in env."
    )
    tools: tuple[Text, ...] = Field(
        min_length=1,
        description="The server's own names of the tools that agents may be given, or patterns of "
        'them; "*" is all.',
    )
    connect_timeout_s: float = Field(
        default=20.0, gt=0, le=300, description="Until it is started and has told its tools."
    )
    call_timeout_s: float = Field(default=60.0, gt=0, le=3600, description="One call.")
    trust_read_only: bool = Field(
        default=False,
        description="Believe the server which of its tools change nothing. Else each of them "
        "counts as one with side effects.",
    )


class McpFile(Section):
    """The MCP servers, by name."""

    synonyms: ClassVar[Mapping[str, str]] = {"mcpServers": "servers", "mcp_servers": "servers"}

    servers: dict[ServerName, ServerEntry] = Field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Listed:
    """The servers that can be used, the names of those that cannot, and what is wrong."""

    servers: tuple[McpServer, ...] = ()
    broken: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()

    def names(self) -> dict[str, tuple[str, ...]]:
        """What the tools of each can be called, as patterns; of a broken server, anything."""
        known = {each.name: tuple(patterns_of(each.name, each.tools)) for each in self.servers}
        return {**dict.fromkeys(self.broken, ("*",)), **known}


def read_servers(path: Path, secret: Secret, variable: Variable) -> Listed:
    """The servers that have no problem, and the problems; neither where there is no file."""
    if not path.exists():
        return Listed()
    try:
        whole = compose(path)
        salvage = whole.salvage(McpFile)
    except ConfigError as error:
        return Listed(problems=error.problems)
    entries = salvage.value.servers if salvage.value else {}
    problems, servers = list(salvage.problems), list[McpServer]()
    of_variable: dict[str, str] = {}
    for name, entry in entries.items():
        reader = _Reader(salvage.document, name, secret, variable)
        server = reader.server(entry)
        other = of_variable.setdefault(variable(name, "X"), name)
        if other != name:
            reader.wrong((), f"its secrets would be those of the server {other!r}: rename one")
        problems += reader.problems
        if not reader.problems:
            servers.append(server)
    good = {server.name for server in servers}
    broken = tuple(name for name in whole.keys(("servers",)) if name not in good)
    in_order = sorted(problems, key=lambda one: (one.line, one.column))
    return Listed(tuple(servers), broken, tuple(in_order))


class _Reader:
    """Makes one server of its entry, and collects what is wrong with it."""

    def __init__(self, document: Document, name: str, secret: Secret, variable: Variable) -> None:
        self._document = document
        self._name = name
        self._secret = secret
        self._variable = variable
        self._used: list[str] = []
        self.problems: list[Problem] = []

    def wrong(self, place: Place, message: str, *, of_key: bool = True) -> None:
        """Something is wrong at `place` in the server's entry."""
        whole = ("servers", self._name, *place)
        self.problems.append(self._document.problem(whole, message, of_key=of_key))

    def server(self, entry: ServerEntry) -> McpServer:
        """The server; what it is worth where something is wrong with it, nobody asks."""
        reach = self._endpoint(entry) if entry.command is None else self._program(entry)
        return McpServer(
            name=self._name,
            reach=reach,
            tools=entry.tools,
            connect_timeout_s=entry.connect_timeout_s,
            call_timeout_s=entry.call_timeout_s,
            trusts_read_only=entry.trust_read_only,
            secrets=tuple(self._used),
        )

    def _program(self, entry: ServerEntry) -> Program:
        for key in ("url", "headers"):
            if key in entry.model_fields_set:
                self.wrong((key,), f"a server with 'command' has no {key!r}: one or the other")
        args = [self._filled(("args", at), each) for at, each in enumerate(entry.args)]
        return Program(
            command=entry.command or "",
            args=tuple(args),
            env={key: self._filled(("env", key), value) for key, value in entry.env.items()},
            cwd=entry.cwd,
        )

    def _endpoint(self, entry: ServerEntry) -> Endpoint:
        if entry.url is None:
            self.wrong((), "it needs a 'command' to start it by, or a 'url' to reach it at")
            return Endpoint("")
        for key in ("args", "env", "cwd"):
            if key in entry.model_fields_set:
                self.wrong((key,), f"a server with 'url' has no {key!r}: nothing is started here")
        url = self._filled(("url",), entry.url)
        if not _is_address(url):
            self.wrong(("url",), "expected an address such as https://host/mcp", of_key=False)
        headers = {key: self._filled(("headers", key), text) for key, text in entry.headers.items()}
        for key, text in headers.items():
            if not text.isascii() or any(not char.isprintable() for char in text):
                self.wrong(("headers", key), "a header holds printable ASCII alone", of_key=False)
        return Endpoint(url, headers)

    def _filled(self, place: Place, text: str) -> str:
        """The text with its references replaced; they are not looked for in what comes out."""
        return _REFERENCE.sub(lambda found: self._value(place, found), text)

    def _value(self, place: Place, found: re.Match[str]) -> str:
        name = found[1]
        if not found[0].endswith("}") or not _SECRET_NAME.fullmatch(name):
            self.wrong(
                place,
                f"{found[0]!r} names no secret: write ${{NAME}}, letters, digits and single '_'",
                of_key=False,
            )
            return ""
        value = self._secret(self._name, name)
        if value is None:
            self.wrong(
                place, f"needs a secret: set {self._variable(self._name, name)}", of_key=False
            )
            return ""
        self._used.append(value)
        return value


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
