"""Who calls, and what the ids in a path stand for."""

from __future__ import annotations

from typing import Literal
from uuid import UUID

from fastapi import Request

from callsheet.agui.request import check_id
from callsheet.api.ports import Identities
from callsheet.auth.principal import Principal
from callsheet.kit.errors import BadInput, NotFound
from callsheet.kit.ids import resolve_id


async def caller_of(request: Request, identities: Identities) -> Principal:
    """The user that makes the request, known by the header alone; raises Unauthorized.

    No field of a body, a path or a query can say who calls.
    """
    return await identities.authenticate(request.headers.get("authorization"))


def path_id(principal: Principal, kind: Literal["session", "run", "message"], raw: str) -> UUID:
    """The id that stands in a path: ours, or the client's own name for the thing."""
    try:
        return resolve_id(check_id(raw, kind), principal.user_id, kind)
    except BadInput as error:
        raise NotFound(f"There is no such {kind}.") from error
