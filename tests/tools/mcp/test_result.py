"""Answers of servers as a model reads them."""

from __future__ import annotations

import json
from base64 import b64encode
from typing import Any
from uuid import uuid4

import pytest

from callsheet.kit.errors import Unavailable
from callsheet.tools.artifact import Artifact, NotKept
from callsheet.tools.context import ToolContext
from callsheet.tools.mcp.blobs import MOST, Blobs
from callsheet.tools.mcp.protocol import Answer
from callsheet.tools.mcp.result import masked, text_of
from tests.tools.calls import context

IMAGE = {"type": "image", "mimeType": "image/png", "data": b64encode(b"a picture").decode()}


class Shelf:
    """Implements `Artifacts`."""

    def __init__(self, failure: Exception | None = None) -> None:
        self.kept: list[tuple[str, bytes, str]] = []
        self._failure = failure

    async def keep(
        self, ctx: ToolContext, name: str, data: bytes, media_type: str = ""
    ) -> Artifact:
        if self._failure is not None:
            raise self._failure
        self.kept.append((name, data, media_type))
        return Artifact(uuid4(), name, media_type, len(data))

    async def find(self, ctx: ToolContext, reference: str) -> None:
        return None


async def read(*blocks: Any, structured: Any = None, shelf: Shelf | None = None) -> str:
    files = Blobs(shelf, context(), "draw")
    return await text_of(Answer(blocks, structured), files.describe)


async def test_texts_stand_in_their_order() -> None:
    one, two = {"type": "text", "text": "one"}, {"type": "text", "text": "two"}
    assert await read(one, two, structured={"a": 1}) == "one\ntwo"


async def test_the_structured_value_counts_where_there_is_no_text() -> None:
    assert json.loads(await read(structured={"a": float("nan"), "b": [1]})) == {"a": None, "b": [1]}
    assert await read() == "It answered without saying anything."


async def test_text_that_is_json_but_for_its_numbers_becomes_json() -> None:
    assert await read({"type": "text", "text": '{"a": NaN}'}) == '{"a":null}'
    assert await read({"type": "text", "text": "[Infinity"}) == "[Infinity"
    assert await read({"type": "text", "text": "NaN is no number"}) == "NaN is no number"


async def test_resources_are_read_or_named() -> None:
    embedded = {"type": "resource", "resource": {"uri": "file:///a.txt", "text": "inside"}}
    link = {"type": "resource_link", "uri": "https://x/a", "name": "A", "description": "An a."}
    assert await read(embedded, link, {"type": "new"}) == (
        "inside\nA - An a. - https://x/a\n[new, not shown]"
    )


async def test_files_are_kept_and_the_model_is_told_so() -> None:
    shelf = Shelf()
    blob = {"uri": "file:///tmp/report.pdf", "mimeType": "application/pdf", "blob": IMAGE["data"]}
    text = await read(IMAGE, {"type": "resource", "resource": blob}, IMAGE, shelf=shelf)
    assert shelf.kept == [
        ("draw.png", b"a picture", "image/png"),
        ("report.pdf", b"a picture", "application/pdf"),
        ("draw-3.png", b"a picture", "image/png"),
    ]
    assert text.split("\n")[0] == "[the file draw.png, which the user sees: image/png, 9 bytes]"


@pytest.mark.parametrize(
    ("failure", "told"),
    [
        (NotKept("The session has too many."), "not shown: image/png, 9 bytes. The session has"),
        (Unavailable("away", service="storage"), "could not be stored"),
    ],
)
async def test_a_file_that_cannot_be_kept_is_described(failure: Exception, told: str) -> None:
    assert told in await read(IMAGE, shelf=Shelf(failure))


async def test_files_without_end_are_not_kept_without_end() -> None:
    shelf = Shelf()
    await read(*[IMAGE] * (MOST + 5), shelf=shelf)
    assert len(shelf.kept) == MOST
    assert "a file that is not shown" in await read(IMAGE)


async def test_bytes_that_cannot_be_read_are_said_to_be() -> None:
    assert await read({**IMAGE, "data": "!!"}) == "[image/png, which could not be read]"


def test_secrets_are_not_repeated() -> None:
    assert masked("a key: abcdef123", ["abcdef123"]) == "a key: ***"
    assert masked("short ab", ["ab"]) == "short ab"
