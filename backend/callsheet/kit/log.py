"""The log: structured lines on standard error, with the run they belong to, without secrets."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterable
from contextlib import AbstractContextManager
from typing import Any, Final, Literal, TextIO, cast

import msgspec
import structlog
from structlog.typing import EventDict, FilteringBoundLogger, Processor, WrappedLogger

from callsheet.kit.redact import Redactor
from callsheet.kit.text import printable

LogFormat = Literal["auto", "json", "console"]
LogLevel = Literal["debug", "info", "warning", "error"]

# They report each request at `info`; our own lines say the same, with ids.
# What libraries say at `debug` is for their authors, and may repeat what a user wrote.
_CHATTY: Final = ("uvicorn.access", "aiohttp.access", "httpx", "httpcore", "LiteLLM", "crewai")
# What it reports goes with what a server wrote; tools/mcp says the same in its own words.
_MUTE: Final = ("mcp",)
_MAX_FRAMES: Final = 30


def get_log(name: str) -> FilteringBoundLogger:
    """The log of a module; `get_log(__name__).info("run started", workflow=name)`."""
    return cast(FilteringBoundLogger, structlog.get_logger(name))


def log_context(**ids: str) -> AbstractContextManager[None]:
    """Every line inside, also of tasks started inside, carries these (run_id, trace_id, ...)."""
    return cast(AbstractContextManager[None], structlog.contextvars.bound_contextvars(**ids))


def log_ids() -> dict[str, Any]:
    """What lines carry here; for work that is done for it elsewhere, with `log_context`."""
    return structlog.contextvars.get_contextvars()


def setup_log(
    level: LogLevel = "info",
    fmt: LogFormat = "auto",
    *,
    secrets: Iterable[str] = (),
    stream: TextIO | None = None,
) -> None:
    """Send our own lines and those of every library to `stream` (standard error) in one form.

    `secrets` are values that must not appear, wherever they turn up. Exceptions are written
    without local variables, which may hold what a user wrote. Safe to call again.
    """
    out = stream or sys.stderr
    as_json = fmt == "json" or (fmt == "auto" and not out.isatty())
    number = logging.getLevelNamesMapping()[level.upper()]
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True, key="at"),
    ]
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=False,
    )
    handler = logging.StreamHandler(out)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[*shared, structlog.stdlib.ExtraAdder(), _without_colour],
            processors=_ending(Redactor(secrets), as_json=as_json, coloured=out.isatty()),
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(max(number, logging.INFO))
    logging.getLogger("callsheet").setLevel(number)
    logging.captureWarnings(capture=True)
    for name in _CHATTY:
        logging.getLogger(name).setLevel(max(number, logging.WARNING))
    for name in _MUTE:
        logging.getLogger(name).setLevel(logging.CRITICAL)


def _ending(redactor: Redactor, *, as_json: bool, coloured: bool) -> list[Processor]:
    def redact(logger: WrappedLogger, method: str, event: EventDict) -> EventDict:
        del logger, method
        return redactor.mapping(event)

    without_meta = structlog.stdlib.ProcessorFormatter.remove_processors_meta
    if as_json:
        frames = structlog.tracebacks.ExceptionDictTransformer(
            show_locals=False, max_frames=_MAX_FRAMES
        )
        return [
            without_meta,
            structlog.processors.ExceptionRenderer(frames),
            redact,
            structlog.processors.JSONRenderer(serializer=_dump),
        ]
    return [
        without_meta,
        structlog.processors.format_exc_info,
        redact,
        _without_control,
        structlog.dev.ConsoleRenderer(colors=coloured, timestamp_key="at"),
    ]


def _without_colour(logger: WrappedLogger, method: str, event: EventDict) -> EventDict:
    """Drop uvicorn's second copy of its message, made for terminals."""
    del logger, method
    event.pop("color_message", None)
    return event


def _without_control(logger: WrappedLogger, method: str, event: EventDict) -> EventDict:
    """Keep what strangers wrote from commanding the terminal; other values are quoted anyway."""
    del logger, method
    for key in ("event", "exception"):
        if isinstance(event.get(key), str):
            event[key] = printable(event[key])
    return event


def _dump(event: Any, **options: Any) -> str:
    del options
    return msgspec.json.encode(event, enc_hook=str).decode()
