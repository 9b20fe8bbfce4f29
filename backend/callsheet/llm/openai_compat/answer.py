"""The bytes of one response, read to parts and to the way the answer ended."""

from __future__ import annotations

from typing import Final, Protocol

from callsheet.kit.json import decode
from callsheet.llm.chat import ChatPart
from callsheet.llm.openai_compat.chunk import ChunkParser
from callsheet.llm.openai_compat.faults import Failure
from callsheet.llm.openai_compat.sse import FRAME_LIMIT_BYTES, FrameTooLargeError, SseReader

ANSWER_LIMIT_BYTES: Final = 64 * 1024 * 1024
_CUT: Final = Failure("provider_cut", "the stream ended before its end mark")
_TOO_LONG: Final = Failure("provider_malformed", "its answer is longer than any answer may be")


class AnswerReader(Protocol):
    """Bytes in, parts out."""

    done: bool
    """Nothing after what was fed belongs to the answer: reading may stop."""
    failure: Failure | None
    """Why there is no whole answer; known for good after `end`."""

    @property
    def answered(self) -> bool:
        """Something of an answer had arrived."""
        ...

    def feed(self, chunk: bytes) -> list[ChatPart]:
        """The parts that these bytes completed."""
        ...

    def end(self, fault: Failure | None) -> list[ChatPart]:
        """The rest. `fault`: what went wrong with the connection; None: it ended by itself."""
        ...


class StreamedAnswer:
    """An answer in server-sent events."""

    def __init__(self) -> None:
        self.done = False
        self.failure: Failure | None = None
        self._sse = SseReader()
        self._parser = ChunkParser()
        self._size = 0
        self._closed = False

    @property
    def answered(self) -> bool:
        return self._parser.answered

    def feed(self, chunk: bytes) -> list[ChatPart]:
        self._size += len(chunk)
        try:
            frames = self._sse.feed(chunk)
        except FrameTooLargeError:
            frames = []
            self._fail(_TOO_LONG)
        if self._size > ANSWER_LIMIT_BYTES:
            self._fail(_TOO_LONG)
        parser = self._parser
        for frame in frames:
            data = frame.data
            if data.strip() == b"[DONE]":
                self.done = self._closed = True
                break
            if frame.event == b"error":
                parser.take_object(_as_error(data))
            elif data and not data.isspace():
                parser.take(data)
            if parser.failure is not None:
                self._fail(parser.failure)
                break
        return parser.parts()

    def end(self, fault: Failure | None) -> list[ChatPart]:
        parts: list[ChatPart] = []
        if fault is None and not self.done:
            parts += self._feed_tail()
        parser = self._parser
        whole = self._closed or parser.finish_reason is not None
        ok = whole and self.failure is None and self.answered
        parts += parser.finish(complete=ok)
        if self.failure is None:
            self.failure = verdict(parser, fault, whole=whole, answered=self.answered)
        return parts

    def _feed_tail(self) -> list[ChatPart]:
        """An event whose blank line is missing counts if it is whole."""
        frames = self._sse.finish()
        if all(frame.data == b"[DONE]" or _object_or_none(frame.data) for frame in frames):
            return self.feed(
                b"".join(b"data: " + f.data.replace(b"\n", b" ") + b"\n\n" for f in frames)
            )
        return []

    def _fail(self, failure: Failure) -> None:
        self.failure, self.done = failure, True


class WholeAnswer:
    """An answer in one JSON object."""

    def __init__(self) -> None:
        self.done = False
        self.failure: Failure | None = None
        self._answered = False
        self._body = bytearray()

    @property
    def answered(self) -> bool:
        return self._answered

    def feed(self, chunk: bytes) -> list[ChatPart]:
        self._body += chunk
        if len(self._body) > FRAME_LIMIT_BYTES:
            self.failure, self.done = _TOO_LONG, True
        return []

    def end(self, fault: Failure | None) -> list[ChatPart]:
        if self.failure is not None:
            return []
        parser = ChunkParser()
        if fault is None and self._body:
            parser.take(bytes(self._body))
        whole = fault is None
        self._answered = parser.answered or (bool(self._body) and not whole)
        self.failure = parser.failure
        parts = parser.finish(complete=whole and self.failure is None and parser.answered)
        if self.failure is None:
            self.failure = verdict(parser, fault, whole=whole, answered=self.answered)
        return parts


def verdict(
    parser: ChunkParser, fault: Failure | None, *, whole: bool, answered: bool
) -> Failure | None:
    """How an answer ended: None where it is whole.

    `fault`: what went wrong with the connection; `whole`: its end mark or its reason had come.
    """
    if parser.finish_reason == "content_filter":
        return Failure("content_filter")
    if parser.finish_reason == "error":
        return Failure("provider_error", "it gave up in the middle of its answer")
    if whole and answered:
        return None
    if fault is None:
        return _CUT if answered else Failure("provider_empty")
    if fault.code == "provider_cut" and not answered:
        return Failure("provider_unreachable", "the connection broke before an answer")
    return fault


def _as_error(data: bytes) -> dict[str, object]:
    """The data of an event that is named `error`, as a chunk with an error object."""
    value = _object_or_none(data) or {}
    return value if value.get("error") else {"error": value or "error"}


def _object_or_none(data: bytes) -> dict[str, object] | None:
    try:
        value = decode(data)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
