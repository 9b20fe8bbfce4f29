"""Where one dialect keeps its counts."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Final, Literal

Where = Literal["inside", "beside"]

# Parts of a whole that is counted anyway: told, and priced with the whole.
_KINDS: Final = ("text_tokens", "audio_tokens", "image_tokens", "video_tokens")


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """The shape of one dialect's usage object, as paths such as `prompt_tokens_details.cached`.

    Several paths for one count are spellings of the same thing, the best first: one is taken, they
    are never added. A tuple within `inputs` is a sum, of which every path must be there.

    `cache`: whether the input count holds cached and cache-write tokens, or they stand beside it.
    `reasoning`: the same for reasoning and the output count. `more_input` are tokens beside the
    input count, if any. `cache_type` says `ephemeral` where a cache was asked for by the request.
    `omits_zeros`: an output that is missing may be none at all, if the total agrees.
    `notes` are all other paths that may come; they change nothing.
    """

    inputs: tuple[str | tuple[str, ...], ...]
    outputs: tuple[str, ...]
    totals: tuple[str, ...] = ("total_tokens",)
    cached: tuple[str, ...] = ()
    written: tuple[str, ...] = ()
    reasonings: tuple[str, ...] = ()
    more_input: tuple[str, ...] = ()
    cache: Where = "inside"
    reasoning: Where = "inside"
    cache_type: str | None = None
    omits_zeros: bool = False
    notes: tuple[str, ...] = ()

    def paths(self) -> frozenset[str]:
        """Every path that is known."""
        found: set[str] = set(self.notes)
        for one in fields(self):
            value = getattr(self, one.name)
            for entry in value if isinstance(value, tuple) else ():
                found.update((entry,) if isinstance(entry, str) else entry)
        if self.cache_type is not None:
            found.add(self.cache_type)
        return frozenset(found)


def kinds_of(*details: str) -> tuple[str, ...]:
    """The paths of the kinds of tokens that these objects may tell apart."""
    return tuple(f"{name}.{kind}" for name in details for kind in _KINDS)
