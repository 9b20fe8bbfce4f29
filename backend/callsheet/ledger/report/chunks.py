"""A file that is taken away in parts while it is written."""

from __future__ import annotations

import io


class Chunks(io.BytesIO):
    """What a sheet writes into it is there until it is taken."""

    def take(self) -> bytes:
        """What was written since the last time."""
        data = self.getvalue()
        self.seek(0)
        self.truncate()
        return data
