"""Who is let in, for the doctor."""

from __future__ import annotations

from callsheet.auth.api_keys import ApiKeys
from callsheet.cli.console import counted
from callsheet.cli.finding import Finding
from callsheet.kit.errors import SetupError
from callsheet.settings.settings import Settings

_SUBJECT = "who is let in"
_MEND = "Make a key with `callsheet keys create --user NAME`, or set CALLSHEET_AUTH__API_KEYS."


def let_in(settings: Settings, made_keys: int | None) -> Finding:
    """By which keys and tokens; `made_keys` are those of the database, None: not known."""
    auth = settings.auth
    try:
        keys = len(ApiKeys((key.get_secret_value() for key in auth.api_keys), auth.admins))
    except SetupError as error:
        return Finding(_SUBJECT, "missing", "CALLSHEET_AUTH__API_KEYS is malformed", str(error))
    if settings.takes_local_user:
        everybody = "everybody on this machine, as one local user who is an admin"
        made = f"; and {counted(made_keys, 'made key')}" if made_keys else ""
        return Finding(_SUBJECT, "ok", f"{everybody}{made}")
    ways = []
    if keys:
        admins = f" (admins: {', '.join(auth.admins)})" if auth.admins else ""
        ways.append(f"{counted(keys, 'key')} of CALLSHEET_AUTH__API_KEYS{admins}")
    if made_keys:
        ways.append(counted(made_keys, "made key"))
    if auth.jwt.is_set:
        ways.append(f"tokens of {auth.jwt.issuer}")
    if ways:
        return Finding(_SUBJECT, "ok", "; ".join(ways))
    if made_keys is None:
        return Finding(_SUBJECT, "warning", "made keys alone, which the database does not tell")
    return Finding(_SUBJECT, "missing", "nobody", _MEND)
