"""The name of one state of a workflow."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256


def revision_of(files: Mapping[str, bytes]) -> str:
    """64 hex digits; the same for the same paths with the same bytes, whatever their order."""
    whole = sha256()
    for path in sorted(files):
        for part in (path.encode(), files[path]):
            whole.update(len(part).to_bytes(8, "big"))
            whole.update(part)
    return whole.hexdigest()
