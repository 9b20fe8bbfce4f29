"""What is kept of a stream: text up to a limit, never half a character."""

from __future__ import annotations

import codecs


class Kept:
    """The beginning of a stream as text of at most `most_bytes` in UTF-8; the rest is counted.

    Bytes that are no UTF-8 become U+FFFD, and so does NUL, which nothing could store.
    """

    def __init__(self, most_bytes: int) -> None:
        self._left = most_bytes
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._parts: list[str] = []
        self.dropped_bytes = 0

    def add(self, data: bytes) -> str:
        """Take more; what of it is kept, as text."""
        return self._keep(self._decoder.decode(data))

    def end(self) -> str:
        """Take in half a character that nothing follows."""
        return self._keep(self._decoder.decode(b"", final=True))

    def text(self) -> str:
        """All that was kept."""
        return "".join(self._parts)

    def _keep(self, text: str) -> str:
        text = text.replace("\0", "\ufffd")
        raw = text.encode("utf-8")
        if len(raw) > self._left:
            cut = raw[: self._left].decode("utf-8", "ignore")
            kept = len(cut.encode("utf-8"))
            self.dropped_bytes += len(raw) - kept
            self._left = 0
            text = cut
        else:
            self._left -= len(raw)
        if text:
            self._parts.append(text)
        return text
