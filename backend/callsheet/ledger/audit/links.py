"""What belongs together, and the one currency of all."""

from __future__ import annotations

from typing import Final

CALL_WITHOUT_ITS_MESSAGE: Final = """\
SELECT c.id AS call_id, f.fault, c.status, c.purpose, c.user_id, c.session_id, c.message_id,
       c.run_id
FROM llm_calls c
LEFT JOIN messages m ON m.id = c.message_id
LEFT JOIN sessions s ON s.id = c.session_id
LEFT JOIN runs r ON r.id = c.run_id
CROSS JOIN LATERAL (
  SELECT CASE
    WHEN c.message_id IS NULL AND c.status = 'settled'
         AND c.purpose NOT IN ('transcription', 'embedding', 'title') THEN 'no message'
    WHEN c.message_id IS NOT NULL AND m.id IS NULL THEN 'its message is lost'
    WHEN c.session_id IS NOT NULL AND s.id IS NULL THEN 'its session is lost'
    WHEN c.run_id IS NOT NULL AND r.id IS NULL THEN 'its run is lost'
    WHEN m.session_id IS DISTINCT FROM c.session_id AND m.id IS NOT NULL
      THEN 'a message of another session'
    WHEN s.user_id <> c.user_id THEN 'a session of another user'
    WHEN r.session_id <> c.session_id THEN 'a run of another session'
  END AS fault
) f
WHERE f.fault IS NOT NULL
ORDER BY c.started_at, c.id;
"""

MORE_THAN_ONE_CURRENCY: Final = """\
SELECT k.currency, k.rows_of, k.rows
FROM (
  SELECT currency, 'messages' AS rows_of, count(*) AS rows FROM messages GROUP BY currency
  UNION ALL
  SELECT currency, 'llm_calls', count(*) FROM llm_calls GROUP BY currency
  UNION ALL
  SELECT currency, 'cost_adjustments', count(*) FROM cost_adjustments GROUP BY currency
) k
WHERE (SELECT count(DISTINCT o.currency) FROM (
         SELECT currency FROM messages UNION SELECT currency FROM llm_calls
         UNION SELECT currency FROM cost_adjustments) o) > 1
ORDER BY k.rows_of, k.rows DESC, k.currency;
"""
