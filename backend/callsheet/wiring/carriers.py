"""What carries events to viewers in other processes, beside the database."""

from __future__ import annotations

from importlib.util import find_spec

from callsheet.kit.errors import SetupError
from callsheet.settings.stream import StreamSettings
from callsheet.stream.protocol import Carrier


def make_carrier(settings: StreamSettings) -> Carrier | None:
    """The carrier of a deployment, None where the database does it; nothing connects yet.

    Raises:
        SetupError: the extra is not installed, or the address is none.
    """
    if settings.redis_url is None:
        return None
    if find_spec("redis") is None:
        raise SetupError(
            "CALLSHEET_STREAM__REDIS_URL is set and the extra is not installed: "
            "pip install 'callsheet[redis]'."
        )
    from callsheet.stream.redis import RedisCarrier  # noqa: PLC0415 - the extra

    try:
        return RedisCarrier(settings.redis_url.get_secret_value())
    except ValueError as error:
        raise SetupError("CALLSHEET_STREAM__REDIS_URL is no address of a Redis.") from error
