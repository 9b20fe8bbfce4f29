"""Where the answer of a command goes: standard output, or a file that is whole or not there."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from callsheet.kit.errors import SetupError


@contextmanager
def output_stream(path: Path | None) -> Iterator[BinaryIO]:
    """Bytes to standard output, or to `path`, which is replaced when the block ends well.

    A link stays one; a device or a pipe, which must not be replaced, is written as it is.

    Raises:
        SetupError: the file cannot be written.
    """
    if path is None:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    try:
        if path.exists() and not path.is_file():
            with path.open("wb") as stream:
                yield stream
        else:
            with _replaced(path.resolve()) as stream:
                yield stream
    except OSError as error:
        raise SetupError(f"{path} cannot be written: {error.strerror or error}.") from error


@contextmanager
def _replaced(path: Path) -> Iterator[BinaryIO]:
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    with part.open("xb") as stream:  # what stands there, a link perhaps, is somebody else's
        try:
            yield stream
            stream.flush()
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
