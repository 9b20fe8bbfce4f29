"""What kind of file it is: by what is in it. Its name only tells one kind of text from another."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

TEXT: Final = "text/plain"
UNKNOWN: Final = "application/octet-stream"
PICTURES: Final = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
"""Those that a browser may show beside a page: they hold nothing that runs."""

_TEXTS: Final[Mapping[str, str]] = {
    "csv": "text/csv",
    "tsv": "text/tab-separated-values",
    "md": "text/markdown",
    "json": "application/json",
    "jsonl": "application/x-ndjson",
    "ndjson": "application/x-ndjson",
    "yaml": "application/yaml",
    "yml": "application/yaml",
    "xml": "application/xml",
    "html": "text/html",
    "htm": "text/html",
    "svg": "image/svg+xml",
    "py": "text/x-python",
}
_SNIFFED: Final = 4096
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]")
_HTML: Final = re.compile(r"<(?:!doctype\s+html|html|head|body|script|iframe|style)[\s>/]", re.I)
_TYPE: Final = re.compile(r"[a-z0-9][a-z0-9.+-]{0,62}/[a-z0-9][a-z0-9.+-]{0,62}")
_IS_TEXT: Final = re.compile(r"(?:xml|json|html|javascript|ecmascript)$")
_SVG: Final = re.compile(r"<svg[\s>]", re.I)


def media_type_of(name: str, data: bytes, claimed: str = "") -> str:
    """The media type, without parameters; `UNKNOWN` where nobody can tell.

    What looks like a page is one, whatever it is called. What is `claimed` counts where the bytes
    have no sign that is known. It looks at all of them, so call it in a thread.
    """
    text = _text(data)
    if text is None:
        return _by_signature(name, data) or _believed(claimed)
    if text.startswith("%PDF-"):
        return "application/pdf"
    head = text[:_SNIFFED].lstrip("\ufeff \t\r\n")
    if head.startswith("<"):
        return _markup(head)
    return _TEXTS.get(name.rpartition(".")[2].lower(), TEXT)


def _text(data: bytes) -> str | None:
    """The text that it is; None where it is none."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return None if _CONTROL.search(text) else text


def _markup(head: str) -> str:
    if _SVG.search(head):
        return "image/svg+xml"
    return "text/html" if _HTML.search(head) else "application/xml"


def _by_signature(name: str, data: bytes) -> str | None:
    import puremagic  # noqa: PLC0415 - reads its table of signatures when it is imported

    try:
        found = puremagic.magic_string(data, name)
    except (puremagic.PureError, ValueError):
        return None
    return next((match.mime_type for match in found if _is_binary(match.mime_type)), None)


def _believed(claimed: str) -> str:
    return claimed if _is_binary(claimed) and claimed not in PICTURES else UNKNOWN


def _is_binary(kind: str) -> bool:
    """Whether it is a type at all, and none that only text can have."""
    return (
        bool(_TYPE.fullmatch(kind)) and not kind.startswith("text/") and not _IS_TEXT.search(kind)
    )
