"""A model that asks for what stands inside, through HTTP: refused, and the turn goes on."""

from __future__ import annotations

import pytest

from tests.fakes.deployment import Deployment
from tests.fakes.provider.server import FakeProvider
from tests.fakes.website import website
from tests.fixtures.app import Serve
from tests.flows.web import activities, results, rounds, web

# {other}: a service on this machine that is not allowed; {here}: the one that is, by its port.
ASKED = [
    "http://127.0.0.1:{other}/",
    "http://localhost:{here}/",
    "http://localhost:{other}/",
    "http://127.0.0.1.:{other}/",
    "http://127.1:{here}/",
    "http://2130706433:{here}/",
    "http://0x7f000001:{here}/",
    "http://0177.0.0.1:{here}/",
    "http://[::1]:{other}/",
    "http://[::ffff:127.0.0.1]:{here}/",
    "http://0.0.0.0:{other}/",
    "http://169.254.169.254/latest/meta-data/",
    "http://[fd00:ec2::254]/",
    "http://100.100.100.200/",
    "http://10.0.0.1/",
    "http://metadata.google.internal/",
    "http://user:pw@127.0.0.1:{here}/",
    "http://127.0.0.1:{here}@127.0.0.1:{other}/",
    "file:///etc/passwd",
    "gopher://127.0.0.1:{other}/_x",
]
REDIRECTED = [
    "http://127.0.0.1:{other}/",
    "http://localhost:{other}/",
    "http://[::1]:{other}/",
    "http://2130706433:{other}/",
    "http://169.254.169.254/latest/meta-data/",
    "//127.0.0.1:{other}/",
    "file:///etc/passwd",
    "http://10.0.0.1/",
]


async def test_nothing_inside_is_fetched_however_it_is_asked_for(
    serve: Serve, deployment: Deployment, provider: FakeProvider
) -> None:
    async with web(serve, deployment) as here, website() as other:
        other.page("/", "secret")
        here.site.page("/ok", "<title>Fine</title><p>open words")
        ports = {"here": here.site.port, "other": other.port}
        asked = [f"{here.here}/ok"]
        asked += [url.format(**ports) for url in ASKED]
        for number, to in enumerate(REDIRECTED):
            here.site.redirect(f"/{number}", to.format(**ports))
            asked.append(f"{here.here}/{number}")
        provider.scenario = rounds([("web_fetch", {"url": url}) for url in asked])
        turn = await here.agui.ask("Read them all.")

        assert turn.breaches == []
        assert turn.last["type"] == "RUN_FINISHED"
        assert turn.text == "Done [1]."
        calls = [event["toolCallId"] for event in turn.of("TOOL_CALL_START")]
        by_call = {event["toolCallId"]: event["content"] for event in turn.of("TOOL_CALL_RESULT")}
        assert len(by_call) == len(calls) == len(asked)
        first, *others = (by_call[call] for call in calls)
        assert first.endswith("open words")
        assert all(text.startswith("Error: ") for text in others), others
        assert not any("secret" in text or "93." in text for text in others)
        assert other.requests == []
        assert sorted(here.site.paths) == sorted(
            ["/ok", *(f"/{number}" for number in range(len(REDIRECTED)))]
        )
        assert len(activities(turn)) == 2  # one source: the page that was read
        assert await here.books.audit() == {}


async def test_the_reason_is_told_and_no_more(
    serve: Serve, deployment: Deployment, provider: FakeProvider
) -> None:
    async with web(serve, deployment) as here:
        here.site.redirect("/", "http://169.254.169.254/latest/meta-data/")
        provider.scenario = rounds([("web_fetch", {"url": f"{here.here}/"})])
        turn = await here.agui.ask("Read it.")
        refused = "169.254.169.254 is not on the public internet, and only pages there are fetched."
        assert results(turn) == [f"Error: {refused}"]
        [result] = turn.of("TOOL_CALL_RESULT")
        assert result["metadata"]["callsheet"]["status"] == "error"


@pytest.mark.parametrize(
    ("media_type", "said"),
    [("application/pdf", "application/pdf of 4 bytes"), ("text/plain", "binary data")],
)
async def test_what_is_no_page_is_an_error_that_the_model_reads(
    serve: Serve, deployment: Deployment, provider: FakeProvider, media_type: str, said: str
) -> None:
    async with web(serve, deployment) as here:
        here.site.page("/", b"\0\1\2\3", media_type)
        provider.scenario = rounds([("web_fetch", {"url": here.here})])
        turn = await here.agui.ask("Read it.")
        assert said in results(turn)[0]
        assert turn.last["metadata"]["callsheet"]["modelOnly"] is True
