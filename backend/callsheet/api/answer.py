"""JSON answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastapi.responses import Response

from callsheet.kit.json import encode


def json_answer(
    value: Any, *, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """`value` as strict JSON that no cache keeps."""
    return Response(
        encode(value),
        status_code=status,
        media_type="application/json",
        headers={"Cache-Control": "no-store", **(headers or {})},
    )
