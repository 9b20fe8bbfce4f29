"""Interrupts as the journal writes them, in the transaction that stores the pause itself."""

from __future__ import annotations

from collections.abc import Sequence

from callsheet.db.joined import Statements
from callsheet.interrupts.new_interrupt import NewInterrupt
from callsheet.kit.json import encode

_OPEN = """
INSERT INTO interrupts (id, run_id, session_id, user_id, place, reason, message, tool_call_id,
                        tool, response_schema, detail, expires_at)
SELECT n.id, n.run_id, n.session_id, n.user_id, n.place, n.reason, n.message, n.tool_call_id,
       n.tool, n.response_schema::jsonb, n.detail::jsonb, n.expires_at
FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::int[], $6::text[], $7::text[],
            $8::text[], $9::text[], $10::text[], $11::text[], $12::timestamptz[])
  AS n(id, run_id, session_id, user_id, place, reason, message, tool_call_id, tool,
       response_schema, detail, expires_at)
ON CONFLICT (id) DO NOTHING
"""


async def open_interrupts(tx: Statements, interrupts: Sequence[NewInterrupt]) -> None:
    """Store them; one that stands there already is left alone."""
    asked = [new.interrupt for new in interrupts]
    await tx.execute(
        _OPEN,
        [each.interrupt_id for each in asked],
        [new.run_id for new in interrupts],
        [new.session_id for new in interrupts],
        [new.user_id for new in interrupts],
        [new.place for new in interrupts],
        [each.reason for each in asked],
        [each.message for each in asked],
        [each.tool_call_id for each in asked],
        [each.tool for each in asked],
        [_json(each.response_schema) for each in asked],
        [encode(each.detail).decode() for each in asked],
        [each.expires_at for each in asked],
    )


def _json(schema: dict[str, object] | None) -> str | None:
    return None if schema is None else encode(schema).decode()
