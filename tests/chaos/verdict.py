"""What must be true after the storm, whatever was killed in it."""

from __future__ import annotations

from collections.abc import Sequence

from tests.chaos.talker import Talker
from tests.fakes.books import Books

_OVER = ("succeeded", "failed", "cancelled", "interrupted")
_LEASE = """
SELECT r.status, r.worker_id, r.lease_epoch, r.error_code, r.created_at::text, r.updated_at::text,
       (SELECT max(seq) FROM run_events e WHERE e.run_id = r.id) AS seq, r.continues_run_id::text
FROM runs r WHERE r.id = $1::uuid
"""
_SHOWN = """
SELECT id::text, content FROM messages
WHERE session_id = $1::uuid AND role = 'assistant' AND deleted_at IS NULL
  AND metadata->>'visible' = 'true' AND metadata->>'status' <> 'discarded' AND content <> ''
ORDER BY seq
"""


async def problems(books: Books, talkers: Sequence[Talker]) -> list[str]:
    """Everything that is not as it must be; empty where all is."""
    found: list[str] = []
    words = {run.word: talker for talker in talkers for run in talker.runs}
    for talker in talkers:
        for run in talker.runs:
            found += run.breaches
            status = await books.run_status(run.run_id)
            if run.end is None:
                lease = await books.rows(_LEASE, run.run_id)
                found.append(f"run {run.run_id}: {lease}")
            if status not in _OVER:  # a run that waited has succeeded once it was answered
                found.append(f"run {run.run_id} is {status}")
            text = "".join(str(event) for event in run.events)
            strange = [word for word, of in words.items() if of is not talker and word in text]
            if strange:
                found.append(f"run {run.run_id} was shown {strange}")
        shown = {row["id"]: row["content"] for row in await books.rows(_SHOWN, talker.thread_id)}
        said = {message: text for message, text in talker.said.items() if text}
        if shown != said:
            found.append(f"session {talker.thread_id}: a client has {said}, the database {shown}")
    allowed = sum(talker.allowed for talker in talkers)
    sent = await books.one("SELECT count(*) FROM outbox")
    if sent != allowed:
        found.append(f"{allowed} mails were allowed and {sent} were sent")
    active = await books.one("SELECT count(*) FROM runs WHERE status IN ('queued', 'running')")
    if active:
        found.append(f"{active} runs are under way")
    audited = await books.audit()
    if audited:
        found.append(f"audit: {audited}")
    return found
