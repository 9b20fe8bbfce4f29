"""JSON schemas for editors, from the models that the files are read with."""

from __future__ import annotations

import json

from pydantic import BaseModel

_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def editor_schema(model: type[BaseModel]) -> str:
    """The schema as the text of a file; the same model gives the same text."""
    schema = {"$schema": _DIALECT, **model.model_json_schema(by_alias=True)}
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
