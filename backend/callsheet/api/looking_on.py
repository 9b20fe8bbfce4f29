"""The stream of a run that was let in before, for whoever comes to look at it."""

from __future__ import annotations

from functools import partial

from callsheet.agui.encoder import Encoder
from callsheet.agui.run_frames import WireIds
from callsheet.agui.viewer import Viewer
from callsheet.api.openapi import Answers, answers
from callsheet.api.ports import ApiOptions
from callsheet.api.session_ports import Sessions
from callsheet.api.stream_response import StreamResponse, run_headers
from callsheet.runs.watched import WatchedRun


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
        watched.asked.protocol,
        options.show,
        viewer,
    )


def run_stream(
    watched: WatchedRun, viewer: Viewer, options: ApiOptions, sessions: Sessions
) -> StreamResponse:
    """The run to its end."""
    run, encoder = watched.run, encoder_for(watched, viewer, options)
    headers = run_headers(run.session_id, run.id)
    said = partial(sessions.streamed, run.session_id, run.id)
    return StreamResponse(watched.entries, encoder, headers, options.ping_after_s, said)
