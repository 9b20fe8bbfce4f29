"""JSON answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from fastapi.responses import Response

from callsheet.kit.json import encode
from callsheet.kit.pages import Page

T = TypeVar("T")


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


def page_answer(page: Page[T], view: Callable[[T], dict[str, Any]]) -> Response:
    """One page of a list: `items`, and `nextCursor` (null on the last page)."""
    return json_answer(
        {"items": [view(item) for item in page.items], "nextCursor": page.next_cursor}
    )
