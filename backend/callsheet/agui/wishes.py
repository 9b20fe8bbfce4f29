"""What a client may choose of a run, in `forwardedProps.callsheet`: never who it is."""

from __future__ import annotations

from typing import Any, Final, get_args

from callsheet.agui.run_input import OnDisconnect
from callsheet.kit.errors import BadInput

KEY: Final = "callsheet"
_FIELD: Final = f"forwardedProps/{KEY}/onDisconnect"


def on_disconnect_of(forwarded_props: Any) -> OnDisconnect | None:
    """What is to become of the run once nobody looks at it; None where the client leaves it open.

    Raises:
        BadInput: it is neither of the two.
    """
    ours = forwarded_props.get(KEY) if isinstance(forwarded_props, dict) else None
    wish = ours.get("onDisconnect") if isinstance(ours, dict) else None
    for known in get_args(OnDisconnect):
        if wish == known:
            chosen: OnDisconnect = known
            return chosen
    if wish is None:
        return None
    raise BadInput(f"{_FIELD} must be detach or cancel.", field=_FIELD)
