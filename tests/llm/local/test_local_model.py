"""Real tokens of a real model, through the same client as any provider."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import Iterator

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from callsheet.events.usage import Usage
from callsheet.kit.errors import SetupError
from callsheet.llm.local import weights
from callsheet.llm.local.serve import PORT, main
from callsheet.llm.local.weights import CONTEXT_TOKENS, MODEL_CODE
from callsheet.llm.model import Model
from callsheet.llm.usage.metered import metered
from tests.llm.calling import a_model, ask
from tests.llm.local.serving import local_model
from tests.plugins.needs import ROOT

SCHEMA = {
    "type": "object",
    "properties": {
        "route": {"enum": ["chat", "code", "search"]},
        "complexity": {"enum": ["simple", "moderate", "complex"]},
        "language": {"type": "string", "minLength": 2, "maxLength": 8},
    },
    "required": ["route", "complexity", "language"],
}


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with local_model() as address:
        yield address


def smollm2(url: str) -> Model:
    return a_model(
        url,
        model_code=MODEL_CODE,
        factory="local",
        upstream_model=MODEL_CODE,
        api_key=None,
        context_window_tokens=CONTEXT_TOKENS,
    )


@pytest.mark.needs("local_model")
@pytest.mark.timeout(300)
async def test_it_streams_words_and_reports_usage(url: str) -> None:
    heard = await ask(
        url,
        model=smollm2(url),
        seconds=200,
        question="Say hello.",
        max_output_tokens=16,
        temperature=0.0,
    )

    assert heard.error is None
    assert heard.text.strip()
    assert heard.reads > 1
    counted = metered(heard.usage, Usage())
    assert counted.source == "provider"
    usage = counted.usage
    assert usage.input_tokens > 5
    assert 1 <= usage.output_tokens <= 16


@pytest.mark.needs("local_model")
@pytest.mark.timeout(300)
async def test_it_answers_in_the_form_that_is_asked_for(url: str) -> None:
    heard = await ask(
        url,
        model=smollm2(url),
        seconds=200,
        question="What is the capital of France?",
        max_output_tokens=200,
        temperature=0.0,
        response_format={"type": "json_schema", "json_schema": {"name": "x", "schema": SCHEMA}},
    )

    assert heard.error is None
    assert list(Draft202012Validator(SCHEMA).iter_errors(json.loads(heard.text))) == []


@pytest.mark.needs("local_model")
@pytest.mark.timeout(120)
def test_a_port_that_is_taken_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        command = [sys.executable, "-m", "callsheet.llm.local.serve", "--port", port]
        ended = subprocess.run(command, capture_output=True, text=True, cwd=ROOT / "backend")

    assert ended.returncode == 1
    assert f"could not start on 127.0.0.1:{port}" in ended.stdout


def test_without_weights_it_says_how_to_get_them(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(weights, "_PACKAGE", "no_such_weights")

    with pytest.raises(SetupError, match="make local-model"):
        weights.find_weights()
    assert main([]) == 1
    assert "make local-model" in capsys.readouterr().out


def test_the_configuration_says_where_it_listens() -> None:
    text = (ROOT / "config" / "models.yaml").read_text("utf-8")

    assert f"request_url: http://127.0.0.1:{PORT}/v1" in text
