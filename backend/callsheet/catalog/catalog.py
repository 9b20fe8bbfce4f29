"""The catalog as its file says it: factories and the models they serve."""

from __future__ import annotations

import re
from typing import Annotated, Final

from pydantic import AfterValidator, StringConstraints

from callsheet.kit.yaml import Section

_URL: Final = re.compile(r"https?://[^\s/]+\S*")


def _http(url: str) -> str:
    if not _URL.fullmatch(url):
        raise ValueError(f"{url!r} is no http:// or https:// address")
    return url


def _trimmed(name: str) -> str:
    if name != name.strip():
        raise ValueError(f"{name!r} begins or ends with a space")
    return name


Name = Annotated[str, StringConstraints(min_length=1, max_length=50), AfterValidator(_trimmed)]
Url = Annotated[str, StringConstraints(max_length=255), AfterValidator(_http)]


class FactoryEntry(Section):
    """A vendor or endpoint: `request_url` is what `/chat/completions` is put behind."""

    name: Name
    request_url: Url
    avatar: Url | None = None


class LlmEntry(Section):
    """A model; `factory_id` is the name of its factory."""

    model_code: Name
    factory_id: Name


class Catalog(Section):
    """The content of `llm_catalog.yaml`."""

    factories: tuple[FactoryEntry, ...]
    llms: tuple[LlmEntry, ...]

    def factory(self, name: str) -> FactoryEntry | None:
        """The factory of that name."""
        return next((each for each in self.factories if each.name == name), None)
