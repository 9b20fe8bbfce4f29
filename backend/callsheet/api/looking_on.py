"""The stream of a run: of one that has just been let in, and for whoever comes to look at it."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from fastapi import Request

from callsheet.agui.encoder import Encoder
from callsheet.agui.request import protocol_of
from callsheet.agui.run_frames import WireIds
from callsheet.agui.run_input import ContinuationInput, Protocol, RunInput
from callsheet.agui.viewer import Viewer
from callsheet.api.openapi import Answers, answers
from callsheet.api.ports import ApiOptions
from callsheet.api.session_ports import Sessions
from callsheet.api.stream_response import StreamResponse, run_headers
from callsheet.runs.started import StartedRun
from callsheet.runs.watched import WatchedRun

VERSION: Final = "protocolVersion"
VERSION_PARAMETER: Final[dict[str, Any]] = {
    "name": VERSION,
    "in": "query",
    "description": "The protocol of the client, such as 1.0 or 0.0; else that of the run's own.",
    "schema": {"type": "string"},
}


def protocol_asked(request: Request) -> Protocol | None:
    """The generation that a viewer says it is of."""
    version = request.query_params.get(VERSION)
    return None if version is None else protocol_of(version)


def stream_answers(means: str) -> Answers:
    """The answers of an operation that gives a stream of what has to be there."""
    told = answers(None, 404, 410, means=means)
    told[200]["content"] = {"text/event-stream": {"schema": {"type": "string"}}}
    return told


def encoder_for(watched: WatchedRun, viewer: Viewer, options: ApiOptions) -> Encoder:
    """Writes the run as its own client spells it."""
    run = watched.run
    return Encoder(
        run.id,
        WireIds(run.raw_thread_id, run.raw_run_id, watched.asked.raw_parent_run_id),
        viewer.protocol or watched.asked.protocol,
        options.show,
        viewer,
    )


def begun_stream(
    run: StartedRun,
    wire: WireIds,
    asked: RunInput | ContinuationInput,
    options: ApiOptions,
    sessions: Sessions,
) -> StreamResponse:
    """The run that a client has just asked for, to its end."""
    viewer = Viewer(client_state=asked.state)
    encoder = Encoder(run.run_id, wire, asked.protocol, options.show, viewer)
    headers = run_headers(run.session_id, run.run_id)
    said = partial(sessions.streamed, run.session_id, run.run_id)
    return StreamResponse(run.entries, encoder, headers, options.ping_after_s, said)


def run_stream(
    watched: WatchedRun, viewer: Viewer, options: ApiOptions, sessions: Sessions
) -> StreamResponse:
    """The run to its end; who has nothing in hand need not wait for its begin."""
    run, encoder = watched.run, encoder_for(watched, viewer, options)
    headers = run_headers(run.session_id, run.id)
    said = partial(sessions.streamed, run.session_id, run.id)
    early = bool(viewer.history) and run.status == "queued"
    opening = encoder.open_early(run.session_id) if early else b""
    return StreamResponse(watched.entries, encoder, headers, options.ping_after_s, said, opening)
