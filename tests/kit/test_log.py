"""Log lines are data, carry the run they belong to, and hold no secrets."""

from __future__ import annotations

import io
import json
import logging
import warnings
from collections.abc import Iterator
from typing import Any

import pytest
import structlog

from callsheet.kit.log import LogFormat, LogLevel, get_log, log_context, setup_log


@pytest.fixture(autouse=True)
def _log_as_it_was() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    yield
    structlog.reset_defaults()
    logging.captureWarnings(capture=False)
    root.handlers[:] = handlers
    root.setLevel(level)


class Log:
    def __init__(self, *, level: LogLevel = "info", fmt: LogFormat = "auto") -> None:
        self.out = io.StringIO()
        setup_log(level, fmt, secrets=["a-known-secret"], stream=self.out)

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.out.getvalue().splitlines()]


def test_a_line_off_a_terminal_is_one_json_object_with_its_ids() -> None:
    log = Log()
    with log_context(run_id="r1", trace_id="t1"):
        get_log("callsheet.turn").info("stage ended", stage="intent", input_tokens=12)
    (line,) = log.lines()
    assert line.pop("at").endswith("Z")
    assert line == {
        "event": "stage ended",
        "level": "info",
        "logger": "callsheet.turn",
        "run_id": "r1",
        "trace_id": "t1",
        "stage": "intent",
        "input_tokens": 12,
    }


def test_ids_end_with_their_block() -> None:
    log = Log()
    with log_context(run_id="r1"):
        pass
    get_log("x").info("after")
    assert "run_id" not in log.lines()[0]


def test_a_library_speaks_through_the_same_door() -> None:
    log = Log()
    with log_context(run_id="r1"):
        logging.getLogger("uvicorn.error").info(
            "listening on %s", "http://x", extra={"color_message": "in colours"}
        )
    (line,) = log.lines()
    assert "color_message" not in line
    assert (line["event"], line["run_id"]) == ("listening on http://x", "r1")


def test_chatty_libraries_and_lower_levels_are_left_out() -> None:
    log = Log()
    get_log("x").debug("detail")
    logging.getLogger("httpx").info("HTTP Request: GET")
    assert log.lines() == []


def test_at_debug_only_our_own_lines_are_added() -> None:
    log = Log(level="debug")
    get_log("callsheet.room").debug("ours")
    logging.getLogger("celpy.Evaluator").debug("what the user wrote")
    assert [line["event"] for line in log.lines()] == ["ours"]


def test_a_python_warning_becomes_a_line() -> None:
    log = Log()
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        logging.captureWarnings(capture=True)
        warnings.warn("it will go away", UserWarning, stacklevel=1)
    assert "it will go away" in log.lines()[0]["event"]


def test_secrets_are_masked_by_key_by_look_and_because_they_are_known() -> None:
    log = Log()
    get_log("x").info(
        "sent Bearer abcdefghijkl to a-known-secret",
        api_key="plain",
        headers={"Authorization": "x", "x-api-key": "y", "accept": "json"},
        url="postgresql://me:hunter22@db/name",
        nested=[{"note": "key sk-0123456789abcdef used"}],
        max_tokens=5,
        token_count=7,
    )
    text = log.out.getvalue()
    for secret in ("abcdefghijkl", "a-known-secret", "plain", "hunter22", "0123456789abcdef"):
        assert secret not in text
    line = log.lines()[0]
    assert line["headers"] == {"Authorization": "***", "x-api-key": "***", "accept": "json"}
    assert (line["max_tokens"], line["token_count"]) == (5, 7)
    assert line["url"] == "postgresql://***@db/name"


@pytest.mark.parametrize("fmt", ["json", "console"])
def test_an_exception_is_written_without_locals_and_without_secrets(fmt: LogFormat) -> None:
    log = Log(fmt=fmt)
    what_a_user_wrote = "my diary"
    try:
        raise ValueError(f"bad key sk-abcdefghijklmnop for {len(what_a_user_wrote)}")
    except ValueError:
        get_log("x").exception("it broke")
    text = log.out.getvalue()
    assert "ValueError" in text
    assert "for 8" in text
    assert "my diary" not in text
    assert "abcdefghijklmnop" not in text


def test_the_console_form_is_for_people() -> None:
    log = Log(fmt="console")
    get_log("callsheet.turn").warning("slow", stage="intent")
    text = log.out.getvalue()
    assert "slow" in text
    assert "stage=intent" in text
    assert not text.startswith("{")


def test_a_strangers_words_do_not_command_the_terminal() -> None:
    log = Log(fmt="console")
    get_log("x").info("request", path="/a\nfaked line\x1b]0;title\x07")
    logging.getLogger("library").warning("said \x1b[2J", extra={})
    try:
        raise ValueError("bad \x9b2J")
    except ValueError:
        get_log("x").exception("failed")
    written = log.out.getvalue()
    assert not set(written) & {"\x1b", "\x07", "\x9b"}
    assert "\nfaked line" not in written
