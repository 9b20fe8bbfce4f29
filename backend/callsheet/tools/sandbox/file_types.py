"""Which files of a program are given back, by their ending and by what is in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class FileType:
    """`begins` is what such a file must begin with; none: it must be text in UTF-8."""

    media_type: str
    begins: tuple[bytes, ...] = ()
    inside: bytes = b""

    def fits(self, data: bytes) -> bool:
        """Whether these bytes can be what the ending says."""
        if self.begins:
            return data.startswith(self.begins) and self.inside in data[:16]
        try:
            data.decode("utf-8")
        except UnicodeDecodeError:
            return False
        return b"\0" not in data


_ZIP: Final = (b"PK\x03\x04",)
_OFFICE: Final = "application/vnd.openxmlformats-officedocument"

FILE_TYPES: Final[Mapping[str, FileType]] = {
    "png": FileType("image/png", (b"\x89PNG\r\n\x1a\n",)),
    "jpg": FileType("image/jpeg", (b"\xff\xd8\xff",)),
    "jpeg": FileType("image/jpeg", (b"\xff\xd8\xff",)),
    "gif": FileType("image/gif", (b"GIF87a", b"GIF89a")),
    "webp": FileType("image/webp", (b"RIFF",), b"WEBP"),
    "pdf": FileType("application/pdf", (b"%PDF-",)),
    "xlsx": FileType(f"{_OFFICE}.spreadsheetml.sheet", _ZIP),
    "docx": FileType(f"{_OFFICE}.wordprocessingml.document", _ZIP),
    "pptx": FileType(f"{_OFFICE}.presentationml.presentation", _ZIP),
    "parquet": FileType("application/vnd.apache.parquet", (b"PAR1",)),
    "npy": FileType("application/octet-stream", (b"\x93NUMPY",)),
    "npz": FileType("application/octet-stream", _ZIP),
    "csv": FileType("text/csv"),
    "tsv": FileType("text/tab-separated-values"),
    "txt": FileType("text/plain"),
    "log": FileType("text/plain"),
    "md": FileType("text/markdown"),
    "json": FileType("application/json"),
    "jsonl": FileType("application/x-ndjson"),
    "geojson": FileType("application/geo+json"),
    "xml": FileType("application/xml"),
    "yaml": FileType("application/yaml"),
    "yml": FileType("application/yaml"),
    "tex": FileType("application/x-tex"),
    "svg": FileType("image/svg+xml"),
    "html": FileType("text/html"),
}
"""By ending, lower case. Whoever serves SVG and HTML must not show them inline."""


def type_of(name: str) -> FileType | None:
    """The type that the ending of `name` stands for."""
    return FILE_TYPES.get(name.rpartition(".")[2].lower()) if "." in name else None
