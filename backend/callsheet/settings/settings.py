"""Every setting of a deployment: addresses, secrets and limits. Behaviour is in the YAML.

A setting's environment variable is its path in capitals, joined by two underscores, behind
`CALLSHEET_`: `server.port` is CALLSHEET_SERVER__PORT. Descriptions name the unit; docs and the
messages about wrong values are made from them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from pydantic import BaseModel, Field, SecretStr
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

from callsheet.auth.exposure import is_loopback
from callsheet.llm.key import variable_part
from callsheet.settings.artifacts import ArtifactSettings
from callsheet.settings.auth import AuthSettings
from callsheet.settings.cors import CorsSettings
from callsheet.settings.journal import JournalSettings
from callsheet.settings.log import LogSettings
from callsheet.settings.record import FROZEN
from callsheet.settings.sandbox import SandboxSettings
from callsheet.settings.stream import StreamSettings
from callsheet.settings.tools import ToolsSettings
from callsheet.settings.web import WebSettings
from callsheet.settings.worker import WorkerSettings

PREFIX: Final = "CALLSHEET_"
DELIMITER: Final = "__"


class DatabaseSettings(BaseModel):
    """PostgreSQL."""

    model_config = FROZEN

    url: SecretStr | None = Field(
        default=None,
        description="Address of a PostgreSQL 15 or newer, as "
        "postgresql://user:password@host:5432/name. Unset: the embedded server.",
    )
    pool_size: int = Field(default=8, ge=1, le=500, description="Connections that stay open.")
    pool_overflow: int = Field(
        default=8, ge=0, le=500, description="Connections that may be opened on top under load."
    )
    pool_timeout_s: float = Field(
        default=10.0, gt=0, description="Seconds to wait for a free connection."
    )
    statement_timeout_s: float = Field(
        default=30.0, gt=0, description="Seconds after which one statement is given up."
    )


class ServerSettings(BaseModel):
    """The HTTP server."""

    model_config = FROZEN

    host: str = Field(
        default="127.0.0.1",
        min_length=1,
        description="Address to listen on. Anything but loopback needs keys or tokens.",
    )
    port: int = Field(
        default=8000, ge=0, le=65535, description="Port to listen on; 0 takes a free one."
    )
    open_metrics: bool = Field(
        default=False,
        description="Whether GET /metrics answers everyone; else it needs the scope admin, which "
        "the one local user of a server without keys has.",
    )


class LimitSettings(BaseModel):
    """What one caller and one process may do."""

    model_config = FROZEN

    message_chars: int = Field(
        default=32_000, ge=1, description="Characters in the new message of a request."
    )
    body_bytes: int = Field(
        default=10_485_760,
        ge=1024,
        description="Bytes of a whole request body; clients resend history.",
    )
    concurrent_runs: int = Field(
        default=64, ge=1, description="Runs that one process works on at the same time."
    )
    waiting_runs: int = Field(
        default=1_000,
        ge=0,
        description="Runs that may wait for a free place, in all processes; a further one is "
        "refused.",
    )
    waiting_s: float = Field(
        default=300.0,
        gt=0,
        description="Seconds that a run may wait before it begins; then it fails.",
    )
    parallel_tools: int = Field(
        default=8, ge=1, le=64, description="Tool calls of one model answer that run at a time."
    )
    failed_tool_rounds: int = Field(
        default=3,
        ge=1,
        description="Model answers in a row of whose tool calls none went well, after which the "
        "agent has to answer without tools.",
    )


class ShowSettings(BaseModel):
    """What clients see of models and money."""

    model_config = FROZEN

    costs: bool = Field(
        default=True,
        description="Whether clients see what things cost; tokens are shown all the same.",
    )
    models: bool = Field(
        default=True, description="Whether clients see which models and providers answer."
    )


class LlmSettings(BaseModel):
    """What a deployment knows about one factory of config/llm_catalog.yaml."""

    model_config = FROZEN

    api_key: SecretStr | None = Field(
        default=None,
        description="Key of the factory of that name; in capitals, every other character than "
        "letters and digits as one underscore.",
    )


McpSecrets = dict[str, dict[str, SecretStr]]
"""By server and name, both as they stand in the variable, in small letters."""


class Settings(BaseSettings):
    """All of them. Built by `settings.load.load_settings`; reads nothing on its own."""

    model_config = SettingsConfigDict(
        frozen=True, extra="forbid", hide_input_in_errors=True, case_sensitive=False
    )

    data_dir: Path | None = Field(
        default=None,
        description="Folder of the embedded database and everything that is stored. Unset: "
        "~/.local/share/callsheet, as root /var/lib/callsheet.",
    )
    config_dir: Path | None = Field(
        default=None,
        description="Folder of the configuration files. Unset: ./config where it holds "
        "llm_catalog.yaml, else what ships with the product.",
    )
    crews_dir: Path | None = Field(
        default=None,
        description="Folder of the workflows. Unset: ./crews where it holds a workflow, else "
        "what ships with the product.",
    )
    default_workflow: str = Field(
        default="chat", min_length=1, description="Workflow of a request that names none."
    )
    currency: str = Field(
        default="USD",
        pattern="^[A-Z]{3}$",
        description="Accounting currency, three capitals; one for all that was ever stored.",
    )
    allow_unpriced: bool = Field(
        default=False,
        description="Let models without a valid price be called: they cost 0 and each row of the "
        "ledger is flagged.",
    )
    title_word: str = Field(
        default="新对话",
        min_length=1,
        max_length=200,
        description="First word of the title of a session without text.",
    )
    title_model: str | None = Field(
        default=None,
        min_length=1,
        description="Model that writes a session's title on request. Unset: that of the first "
        "agent of the default workflow.",
    )
    label_language: str = Field(
        default="en",
        pattern="^[a-z]{2}(-[A-Za-z]+)?$",
        description="Language of agents' labels: en or zh.",
    )
    database: DatabaseSettings = DatabaseSettings()
    server: ServerSettings = ServerSettings()
    auth: AuthSettings = AuthSettings()
    cors: CorsSettings = CorsSettings()
    limits: LimitSettings = LimitSettings()
    artifacts: ArtifactSettings = ArtifactSettings()
    worker: WorkerSettings = WorkerSettings()
    tools: ToolsSettings = ToolsSettings()
    show: ShowSettings = ShowSettings()
    journal: JournalSettings = JournalSettings()
    stream: StreamSettings = StreamSettings()
    web: WebSettings = WebSettings()
    sandbox: SandboxSettings = SandboxSettings()
    log: LogSettings = LogSettings()
    llm: dict[str, LlmSettings] = Field(default_factory=dict)
    mcp: McpSecrets = Field(
        default_factory=dict,
        description="What ${NAME} stands for in the entry of that server in config/mcp.yaml; in "
        "capitals, a '-' in the server's name as an underscore.",
    )

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Only what is passed in: `load_settings` has read the environment already."""
        del settings_cls, env_settings, dotenv_settings, file_secret_settings
        return (init_settings,)

    @property
    def takes_local_user(self) -> bool:
        """Whether everybody who reaches the server is its one local user."""
        auth = self.auth
        return auth.local_user and not auth.asks and is_loopback(self.server.host)

    def mcp_secret(self, server: str, name: str) -> str | None:
        """A secret of an MCP server, None where the deployment has none of that name."""
        found = self.mcp.get(variable_part(server).lower(), {}).get(name.lower())
        return None if found is None else found.get_secret_value()

    def api_key(self, factory: str) -> SecretStr | None:
        """The key of a factory, None where the deployment has none."""
        found = self.llm.get(variable_part(factory).lower())
        return found.api_key if found else None
