"""What the words of `callsheet prices` stand for: a model, a moment, a tier, who asks."""

from __future__ import annotations

import getpass
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from pydantic import ValidationError

from callsheet.catalog.price import PriceEntry
from callsheet.kit.errors import BadInput, NotFound
from callsheet.kit.json import encode
from callsheet.kit.yaml_words import closest, said

ModelName = tuple[str, str]
"""Factory name and model code."""


def find_model(word: str, known: Sequence[ModelName]) -> ModelName:
    """The model that `factory/model_code` or a model code alone means.

    A full name need not be known: a price may come before the model.

    Raises:
        BadInput: several factories have a model of that code.
        NotFound: no model has that code.
    """
    of_code = [name for name in known if name[1] == word]
    if len(of_code) > 1:
        names = ", ".join("/".join(name) for name in of_code)
        raise BadInput(f"Several factories have {word!r}: say which of {names}.")
    if of_code:
        return of_code[0]
    factory, mark, code = word.partition("/")
    if mark and factory and code:
        return factory, code
    near = closest(word, [code for _, code in known])
    hint = f" Did you mean {near!r}?" if near else " Give it as factory/model_code."
    raise NotFound(f"No model is called {word!r}.{hint}")


def read_moment(word: str) -> datetime:
    """The moment in UTC of a date or of a date with a time; without a zone it is UTC.

    Raises BadInput where it is neither.
    """
    try:
        moment = datetime.fromisoformat(word)
    except ValueError as error:
        raise BadInput(
            f"{word!r} is no moment: write 2026-12-31 or 2026-12-31T18:00:00+08:00."
        ) from error
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)


def read_tier(word: str) -> dict[str, Any]:
    """A tier as `32000:1.2,0.24,6`: up to, then input, cached and output; the last as `:3,0.6,15`.

    Raises BadInput where it is written otherwise.
    """
    border, mark, prices = word.partition(":")
    parts = prices.split(",")
    if not mark or len(parts) != 3 or not (border == "" or border.isdecimal()):
        raise BadInput(
            f"{word!r} is no tier: write 32000:1.2,0.24,6 (up to so many input tokens: input, "
            "cached and output per million), and the last one without a number before the colon."
        )
    names = ("input_per_million", "cached_per_million", "output_per_million")
    tier: dict[str, Any] = dict(zip(names, (part.strip() for part in parts), strict=True))
    return {**tier, "up_to_input_tokens": int(border)} if border else tier


def entry_of(values: dict[str, Any]) -> PriceEntry:
    """The entry with these values, those that are None left out; raises BadInput."""
    try:
        entry = PriceEntry.model_validate_json(
            encode({name: value for name, value in values.items() if value is not None})
        )
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise BadInput(_of_option(first["loc"], said(first, None)[0])) from error
    for place, message in entry.faults():
        raise BadInput(_of_option(place, message))
    return entry


def _of_option(place: tuple[Any, ...], message: str) -> str:
    """The mistake with the option in which it was made."""
    names = [str(step) for step in place]
    option = f"--{names[0].removesuffix('_per_million').replace('_', '-')}" if names else ""
    option = {"--tiers": "--tier", "--valid-from": "--from"}.get(option, option)
    if message == f"the key {names[-1]!r} is missing":
        return f"{option} is missing."
    return f"{option}: {message}."


def who() -> str:
    """Who uses the command, for `llm_prices.created_by`."""
    try:
        return f"command: {getpass.getuser()}"
    except (OSError, KeyError):  # a user without a name
        return "command"
