"""Where the answer of a command goes: standard output, or a file that is whole or not there."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from callsheet.kit.errors import SetupError


@contextmanager
def output_stream(path: Path | None) -> Iterator[BinaryIO]:
    """Bytes to standard output, or to `path`, which is replaced when the block ends well.

    Raises:
        SetupError: the file cannot be written.
    """
    if path is None:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    part = path.with_name(f"{path.name}.part")
    try:
        with part.open("wb") as stream:
            yield stream
        part.replace(path)
    except OSError as error:
        raise SetupError(f"{path} cannot be written: {error.strerror or error}.") from error
    finally:
        part.unlink(missing_ok=True)
