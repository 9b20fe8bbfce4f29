"""What every event of a run has in common."""

from __future__ import annotations

import msgspec


class RunEvent(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    omit_defaults=True,
    tag_field="kind",
):
    """One thing that happened in a run.

    Sequence number and time are given when it is journaled (`events.entry.Entry`), not here.
    Ids are strings in their 36-character form, as they stand in the journal.
    """
