"""The deployment that a command works on: its settings, folders and log."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from pydantic import SecretStr

from callsheet.cli.console import warn
from callsheet.kit.log import get_log, setup_log
from callsheet.settings.folders import Folders, folders_of
from callsheet.settings.load import load_settings
from callsheet.settings.settings import Settings


@dataclass(frozen=True, slots=True)
class Deployment:
    """What the environment and the working folder say."""

    settings: Settings
    folders: Folders


def read_deployment(*, for_server: bool = False) -> Deployment:
    """Read it, warn about what is odd in it, and set the log up.

    A command logs warnings only, unless the deployment names a level: its output is the answer.
    """
    loaded = load_settings()
    settings = loaded.settings
    as_named = for_server or "level" in settings.log.model_fields_set
    setup_log(
        settings.log.level if as_named else "warning",
        settings.log.format,
        secrets=secrets_of(settings),
    )
    for warning in loaded.warnings:
        if for_server and not sys.stderr.isatty():
            get_log(__name__).warning("settings", detail=warning)
        else:
            warn(warning)
    return Deployment(settings, folders_of(settings))


def secrets_of(settings: Settings) -> tuple[str, ...]:
    """Every secret value, for the log to keep back."""
    keys = [each.get_secret_value() for each in settings.auth.api_keys]
    found = [key.partition(":")[2] or key for key in keys]
    found += [each.api_key.get_secret_value() for each in settings.llm.values() if each.api_key]
    found += [
        each.get_secret_value() for server in settings.mcp.values() for each in server.values()
    ]
    if settings.auth.jwt.secret is not None:
        found.append(settings.auth.jwt.secret.get_secret_value())
    found += _password(settings.database.url)
    return tuple(found)


def _password(url: SecretStr | None) -> tuple[str, ...]:
    """The password of an address, as it is written there and as it is meant."""
    try:
        written = urlsplit(url.get_secret_value() if url else "").password or ""
    except ValueError:
        return ()  # no address: whoever connects says so
    return written, unquote(written)
