"""What a caller may set for a session, as it is stored."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from callsheet.api.fields import SessionEdit
from callsheet.kit.errors import BadInput
from callsheet.kit.text import clean
from callsheet.sessions.settings import LONGEST_PERSONA, SessionChange

LONGEST_TITLE: Final = 255


def change_of(edit: SessionEdit) -> SessionChange:
    """The edit with its texts checked; raises BadInput, the field named."""
    budget = edit.budget
    return SessionChange(
        title=check_title(edit.title) if isinstance(edit.title, str) else edit.title,
        pinned=edit.pinned,
        mode=edit.mode,
        persona=_persona(edit.persona) if isinstance(edit.persona, str) else edit.persona,
        budget=Decimal(budget) if isinstance(budget, str) else budget,
    )


def check_title(title: str) -> str:
    """The title with white space folded; 1 to 255 characters."""
    folded = " ".join(clean(title).split())
    if not folded:
        raise BadInput("title must not be empty.", field="title")
    return _short(folded, "title", LONGEST_TITLE)


def _persona(text: str) -> str | None:
    """The text without blank ends; None where nothing is left."""
    return _short(clean(text).strip(), "persona", LONGEST_PERSONA) or None


def _short(text: str, field: str, most: int) -> str:
    if len(text) > most:
        raise BadInput(f"{field} must not be longer than {most} characters.", field=field)
    return text
